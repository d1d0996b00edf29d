// Prints its arguments and environment, copies standard input to standard
// output, and exits with the number of arguments.
#include <stdio.h>

extern char **environ;

int main(int argc, char **argv) {
  for (int i = 0; i < argc; i++) printf("arg %d: %s\n", i, argv[i]);
  for (char **e = environ; *e; e++) printf("env: %s\n", *e);
  for (int c; (c = getchar()) != EOF;) putchar(c);
  fprintf(stderr, "done\n");
  return argc;
}
