import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Linked: only what differs is copied. */
const SAME = [
  'node_modules',
  'packages',
  'package.json',
  'apps/console',
  'apps/server/node_modules',
  'apps/server/package.json',
]

export interface NextVersion {
  main: string
  remove(): void
}

/** This program with one migration more, as the next version will be. */
export function makeNextVersion(migration: string, sql: string): NextVersion {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-next-'))
  mkdirSync(join(folder, 'apps/server'), { recursive: true })
  for (const path of SAME) symlinkSync(join(ROOT, path), join(folder, path))
  for (const path of ['apps/server/src', 'apps/server/migrations'])
    cpSync(join(ROOT, path), join(folder, path), { recursive: true })
  writeFileSync(join(folder, 'apps/server/migrations', migration), sql)
  return {
    main: join(folder, 'apps/server/src/main.ts'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
