// The guest of `belljar demo`: it waits a day, looks at clocks, randomness and
// a small tree, and changes three files.
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void now(const char *when) {
  struct timespec wall, mono;
  clock_gettime(CLOCK_REALTIME, &wall);
  clock_gettime(CLOCK_MONOTONIC, &mono);
  char text[32];
  strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", gmtime(&wall.tv_sec));
  printf("%s  wall %s  monotonic %lld.%09ld s\n", when, text, (long long)mono.tv_sec, mono.tv_nsec);
}

static int fail(const char *what) {
  perror(what);
  return 1;
}

int main(void) {
  now("before:");
  struct timespec day = {.tv_sec = 24 * 60 * 60};
  if (nanosleep(&day, NULL)) return fail("nanosleep");
  now("after: ");

  unsigned char dice[8];
  if (getentropy(dice, sizeof dice)) return fail("getentropy");
  printf("random: ");
  for (size_t i = 0; i < sizeof dice; i++) printf("%02x", dice[i]);
  printf("\n");

  DIR *dir = opendir("/work");
  if (!dir) return fail("/work");
  for (struct dirent *e; (e = readdir(dir));)
    if (e->d_name[0] != '.') printf("sees:   /work/%s\n", e->d_name);
  closedir(dir);

  char line[256] = "";
  FILE *in = fopen("/work/greeting.txt", "r");
  if (!in || !fgets(line, sizeof line, in)) return fail("/work/greeting.txt");
  fclose(in);
  printf("reads:  %s", line);

  FILE *out = fopen("/work/greeting.txt", "a");
  if (!out) return fail("/work/greeting.txt");
  fprintf(out, "A day later, nothing has aged.\n");
  if (fclose(out)) return fail("/work/greeting.txt");
  out = fopen("/work/diary.txt", "w");
  if (!out) return fail("/work/diary.txt");
  fprintf(out, "slept 24 hours\ndreamt %02x%02x\n", dice[0], dice[1]);
  if (fclose(out)) return fail("/work/diary.txt");
  char old[256];
  FILE *o = fopen("/work/old.txt", "r");
  if (!o || !fgets(old, sizeof old, o)) return fail("/work/old.txt");
  fclose(o);
  if (unlink("/work/old.txt")) return fail("/work/old.txt");
  return 0;
}
