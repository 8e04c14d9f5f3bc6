/** Every setting that is wrong, one a line, for the person who starts Sallyport. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'ConfigError'
  }
}
