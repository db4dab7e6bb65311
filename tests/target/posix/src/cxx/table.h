/* A table whose constructor fills it, in another file than its user. */
#ifndef TABLE_H
#define TABLE_H

#ifdef __cplusplus
#include <array>

class Table {
public:
    Table();
    ~Table();
    int at(std::size_t index) const;

private:
    std::array<int, 8> squares;
};

extern const Table table;

extern "C" {
#endif

int standard_of_c(void);

#ifdef __cplusplus
}
#endif

#endif
