import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { KEY_BYTES, keyOfText, newKey, type SecretKey, secretKey } from './secret-key.ts'

export const KEY_FILE = 'secret.key'

/** Why this process cannot work with its keys, in words for the person who starts it. */
export class SecretKeyError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SecretKeyError'
  }
}

/** The keys that a process was given, and where they come from, for people. */
export interface GivenKeys {
  /** Empty where there is no setting and no file yet. */
  keys: SecretKey[]
  /** `SALLYPORT_SECRET_KEY` or the path of the key file. */
  source: string
  /** Where a key is written to that is made here; undefined where keys come from settings. */
  file: string | undefined
}

type KeySettings = Pick<Config, 'dataDirectory' | 'secretKey'>

/**
 * The keys that seal secrets: of the setting where given, else of `secret.key` in the data directory: a line of base64 for each, lines with `#` are comments.
 * Makes none. Without them the database's secrets cannot be read: back them up apart from the database.
 */
export async function readKeys({ dataDirectory, secretKey: setting }: KeySettings): Promise<GivenKeys> {
  if (setting) return { keys: [keyOfText(setting)], source: 'SALLYPORT_SECRET_KEY', file: undefined }
  const file = join(dataDirectory, KEY_FILE)
  return { keys: await readKeyFile(file), source: file, file }
}

async function readKeyFile(path: string): Promise<SecretKey[]> {
  let content: string
  try {
    content = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new SecretKeyError(`The key file ${path} cannot be read: ${(error as Error).message}`)
  }
  const lines = content.split('\n').map((line) => line.trim())
  const keys = lines.filter((line) => line && !line.startsWith('#')).map((line) => Buffer.from(line, 'base64'))
  if (!keys.length || keys.some(({ length }) => length !== KEY_BYTES))
    throw new SecretKeyError(
      `The key file ${path} is damaged: each line must be a key of ${KEY_BYTES} bytes in base64. Put it back from its backup.`,
    )
  return keys.map(secretKey)
}

/** Makes the first key of an installation. */
export async function makeKeyFile(path: string): Promise<SecretKey> {
  const key = newKey()
  // `wx`: a key that somebody else has put there meanwhile is never lost.
  await writeFile(path, `${key.bytes.toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  return key
}
