import type { CommandReader } from './command-reader.ts'

/** Of a prompt of our own nothing is read off the screen: it writes down itself what it runs. */
export const NO_COMMANDS: CommandReader = {
  fullScreen: false,
  output() {},
  input() {},
  cleared() {},
  resize() {},
  settle() {},
  end() {},
}
