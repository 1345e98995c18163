/* A library that a plugin brings along. */
int bundled_number(void);
__attribute__((visibility("default"))) int bundled_number(void) { return 42; }
