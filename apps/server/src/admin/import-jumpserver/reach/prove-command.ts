import { type FileHandle, open } from 'node:fs/promises'
import { sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import type { Language } from '../../../kernel/i18n/translate.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import { StartRefusal } from '../../../kernel/start-refusal.ts'
import type { Come } from '../run-import.ts'
import { nameOfInstallation } from '../source/installation.ts'
import type { Source } from '../source/source.ts'
import { recognizeVersion } from '../source/version.ts'
import { linesOfDifferences, linesOfProof } from './print-proof.ts'
import { proveReach, type ReachProof } from './prove-reach.ts'

/** The exit code of the command when people do not reach the same. */
const DIFFERENT = 2

/** Proves an import, with its differences in a file for its owner alone. Answers the lines of the result. */
export async function proveInto(file: string, come: Come, language: Language): Promise<string[]> {
  console.error(`${translate(language, 'Who reaches what')} …`)
  let handle: FileHandle | undefined
  try {
    const proof: ReachProof = await proveReach(come, async (people) => {
      handle ??= await open(file, 'w', 0o600)
      await handle.write(`${linesOfDifferences(people, language).join('\n')}\n`)
    })
    if (proof.causes.size) process.exitCode = DIFFERENT
    return linesOfProof(proof, language, file)
  } finally {
    await handle?.close()
  }
}

/**
 * An import that was made before.
 * @throws StartRefusal where nothing has come from this database
 */
export async function importMadeBefore(db: Database, source: Source): Promise<Come> {
  const version = recognizeVersion(source)
  const name = await nameOfInstallation(db, source)
  const { rows } = await db.execute<{ has: boolean }>(
    sql`SELECT EXISTS (SELECT 1 FROM kernel_arrival WHERE source = ${name}) AS has`,
  )
  if (!rows[0]?.has) throw new StartRefusal(`Nothing has been imported from ${source.address}`)
  return { db, source, version, name }
}
