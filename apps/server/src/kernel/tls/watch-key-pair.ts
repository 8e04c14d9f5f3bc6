import { readFile } from 'node:fs/promises'
import { inBackground } from '../background.ts'
import { type KeyPair, type PairSettings, readKeyPair } from './key-pair.ts'

/**
 * How often the files are looked at. They are read, not watched: what renews certificates puts links
 * and whole folders in place of one another, which notices of the file system do not follow.
 */
const LOOK_MS = 1_000

/** What becomes of a change. */
export interface PairChange {
  /** The files hold another pair, which counts from now on. */
  onPair(pair: KeyPair): Promise<void> | void
  /** They hold none that can be used; a sentence with the setting's name. */
  onFault(words: string): void
}

/**
 * Reads the pair of two files now, and again whenever they have changed. Throws StartRefusal where
 * they hold none now.
 */
export async function watchKeyPair(
  files: KeyPair,
  settings: PairSettings,
  { onPair, onFault }: PairChange,
): Promise<{ pair: KeyPair; close(): void }> {
  const pair = await readKeyPair(files, settings)
  const contents = async () =>
    (await Promise.all([files.certificate, files.key].map((path) => readFile(path, 'utf8').catch(() => '')))).join('\0')
  let judged = `${pair.certificate}\0${pair.key}`
  let seen = judged
  const look = async () => {
    const before = seen
    seen = await contents()
    // One of the two may be written and the other not yet: judged once both have stayed for a while.
    if (seen === judged || seen !== before) return
    judged = seen
    const next = await readKeyPair(files, settings).catch((error: Error) => error)
    if (next instanceof Error) onFault(next.message)
    else await onPair(next)
  }
  let isLooking = false
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    inBackground(
      look().finally(() => {
        isLooking = false
      }),
    )
  }, LOOK_MS).unref()
  return { pair, close: () => clearInterval(timer) }
}
