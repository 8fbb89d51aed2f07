// For `node --require`: after SIGUSR2 the process's JavaScript loop turns no more.
process.on('SIGUSR2', () => {
  for (;;);
});
