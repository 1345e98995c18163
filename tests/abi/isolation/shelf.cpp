#include "shelf.hpp"

static int counter = 0;

int shelf_version() { return SHELF_VERSION; }
int shelf_count() { return ++counter; }
