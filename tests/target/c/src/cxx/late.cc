/* Initialised last, whatever the order of the files. */

extern int order;

struct Late {
    int at;
    Late() : at(++order) {}
};

__attribute__((init_priority(60000))) Late late;
