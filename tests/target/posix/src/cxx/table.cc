#include "table.h"

#include <cstdio>
#include <numeric>

Table::Table()
{
    std::iota(squares.begin(), squares.end(), 0);
    for (int &square : squares)
        square *= square;
}

Table::~Table()
{
    std::puts("the table is destroyed");
}

int Table::at(std::size_t index) const
{
    return squares[index];
}

/* (before the others, which use it) */
__attribute__((init_priority(200))) const Table table;
