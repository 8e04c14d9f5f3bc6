import type { CommandReader } from './command-reader.ts'

/**
 * Reader for a prompt of our own, which logs itself what it runs: nothing is read off the screen.
 */
export const NO_COMMANDS: CommandReader = {
  fullScreen: false,
  lineBeforeCursor: () => '',
  output() {},
  input() {},
  cleared() {},
  resize() {},
  settle() {},
  end() {},
}
