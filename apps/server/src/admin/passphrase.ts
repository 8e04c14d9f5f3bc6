import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { SHORTEST_PASSPHRASE } from '../domains/backups/index.ts'
import { WrongUse } from './wrong-use.ts'

/**
 * A passphrase: the first line of a file, else that of the settings, else what a person types, who
 * does not see it. Undefined where there is no terminal to ask at. Never an argument, which everybody
 * on the machine can read.
 */
export async function readPassphrase(
  file: string | undefined,
  setting: string | undefined,
  isNew: boolean,
): Promise<string | undefined> {
  if (file)
    return checked(readFileSync(file, 'utf8').split('\n')[0]?.trimEnd() ?? '', `The passphrase in ${file}`, isNew)
  if (setting) return setting
  if (!process.stdin.isTTY) return undefined
  const typed = checked(await ask('Passphrase of the key in the backup: '), 'The passphrase', isNew)
  if (isNew && (await ask('Once more: ')) !== typed) throw new WrongUse('The two passphrases differ')
  return typed
}

function checked(passphrase: string, what: string, isNew: boolean): string {
  if (isNew && passphrase.length < SHORTEST_PASSPHRASE)
    throw new WrongUse(`${what} must have at least ${SHORTEST_PASSPHRASE} characters`)
  return passphrase
}

async function ask(question: string): Promise<string> {
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return await lines.question('')
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
