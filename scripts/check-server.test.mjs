import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { API } from 'typescript/unstable/sync'
import { expect, test } from 'vitest'
import { typeFaultsOf } from './check-server.mjs'

const FILES = {
  'tsconfig.json':
    '{ "compilerOptions": { "strict": true, "noUnusedLocals": true, "types": [] }, "files": ["own.ts"] }',
  'own.ts': "import { size } from './other.ts'\n\nexport const text: string = size\nconst idle = 1\n)\n",
  'other.ts': "export const size: number = 'ten'\n",
}

test('wrong types, unused names, and what cannot be read, are found by line in files of its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'types-'))
  const api = new API({ cwd: folder })
  try {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)
    const [project] = api.updateSnapshot({ openProjects: [join(folder, 'tsconfig.json')] }).getProjects()
    const { faults, count } = typeFaultsOf(project, (path) => path.endsWith('own.ts'))
    expect(count).toBe(1)
    const short = faults.map((fault) => fault.replace(/^.*\/(?=own\.ts)/, '').replace(/: .*(?= \(TS)/s, ''))
    expect(short.toSorted()).toEqual([
      'own.ts:1 (TS5097)',
      'own.ts:3 (TS2322)',
      'own.ts:4 (TS6133)',
      'own.ts:5 (TS1128)',
    ])
  } finally {
    api.close()
    rmSync(folder, { recursive: true })
  }
})
