import { type FileHandle, open } from 'node:fs/promises'
import { sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import type { Language } from '../../../kernel/i18n/translate.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import { ImportRefusal } from '../refusal.ts'
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
  const proof = await proveWithFile(file, come, language)
  if (proof.causes.size) process.exitCode = DIFFERENT
  return linesOfProof(proof, language, file)
}

/** Proves an import, with its differences in that file, which is made where there are any. */
export async function proveWithFile(file: string, come: Come, language: Language): Promise<ReachProof> {
  let handle: FileHandle | undefined
  try {
    return await proveReach(come, async (people) => {
      handle ??= await open(file, 'w', 0o600)
      await handle.write(`${linesOfDifferences(people, language).join('\n')}\n`)
    })
  } finally {
    await handle?.close()
  }
}

/**
 * An import that was made before.
 * @throws ImportRefusal where nothing has come from this database
 */
export async function importMadeBefore(db: Database, source: Source): Promise<Come> {
  const version = recognizeVersion(source)
  const name = await nameOfInstallation(db, source)
  const { rows } = await db.execute<{ has: boolean }>(
    sql`SELECT EXISTS (SELECT 1 FROM kernel_arrival WHERE source = ${name}) AS has`,
  )
  if (!rows[0]?.has) throw new ImportRefusal('Nothing has been imported from {{address}}', { address: source.address })
  return { db, source, version, name }
}
