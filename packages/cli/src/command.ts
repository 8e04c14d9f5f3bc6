import type { ParseArgsOptionsConfig } from 'node:util'
import type { Client } from '@sallyport/client'
import type { KnownServer, Store } from './store.ts'
import type { Language, Say } from './words.ts'

/** The surroundings of a command. */
export interface Context {
  environment: NodeJS.ProcessEnv
  language: Language
  say: Say
  /** Whether answers are JSON, for programs. */
  json: boolean
  store: Store
  /** The server that the command is for. @throws Failure where none is known */
  server(): KnownServer
  /** Its calls, signed as the person has signed in. @throws Failure */
  client(): Client
  /** A line for people, beside what was asked for. */
  tell(line: string): void
  /** The answer: a value for programs, or what `text` makes of it for people. */
  answer(value: unknown, text: () => string): void
}

export interface Given {
  /** Options by their long names. */
  values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>
  /** The other words. */
  words: string[]
}

export interface Command {
  /** In a few words. English is the key of the Chinese. */
  does: string
  /** After `sallyport` and the command's name. */
  usage: string
  options?: ParseArgsOptionsConfig & Readonly<Record<string, { does?: string }>>
  /** Words from the first that is no option on belong to the program that is started. */
  passes?: boolean
  /** What its words are, for the completion of the shell. */
  completes?: 'machines' | 'databases'
  /** Answers the exit code, where it is not 0. */
  run(context: Context, given: Given): Promise<number | undefined>
}

/** The value of an option that takes one. */
export const textOf = ({ values }: Given, name: string): string | undefined => {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}
