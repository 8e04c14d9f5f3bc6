/** The record of commands, for who runs them. */
export { appendCommands, type NewCommand } from './command.resource.ts'
