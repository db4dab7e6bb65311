/* The locks of picolibc, as far as the functions under test use them on the host. */
void __retarget_lock_acquire_recursive(void *lock);
void __retarget_lock_release_recursive(void *lock);
