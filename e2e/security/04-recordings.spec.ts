// Class 4: replay, live watch, share link and download: no signed link outlives its session, none
// guessable, none listable. What a recording is and how long its link lives is proven beside the
// recorder (README.md); here, that none of its doors opens without the right to the session.
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { type Answer, anOrganization, aPerson, call, type Person, ROOT_ORG } from './visitor.ts'

let auditor: Person
let plain: Person
beforeAll(async () => {
  auditor = await aPerson({ orgRoles: ['Auditor'], org: await anOrganization() })
  plain = await aPerson()
})

const session = randomUUID()
const DOORS = [
  `/api/v1/terminal/sessions/${session}/replay/`,
  `/api/v1/terminal/sessions/${session}/replay/download/`,
  `/api/v1/terminal/sessions/${session}/replay/index/`,
  `/api/v1/terminal/sessions/${session}/replay/part/0/`,
  '/api/v1/terminal/session-sharings/',
  '/api/v1/terminal/session-join-records/',
  '/api/v1/terminal/commands/?limit=10',
]

test('no recording, list of commands or list of shares opens to nobody or to a plain member', async () => {
  for (const path of DOORS) {
    expect(`${path} ${(await call('GET', path)).status}`).toBe(`${path} 401`)
    const { status } = await plain.call('GET', path)
    expect(`${path} ${[403, 404].includes(status)}`).toBe(`${path} true`)
  }
})

test('files of recordings are not had by guessing their names, by climbing out of their folder, or listed', async () => {
  const files = [
    '/media/replay/',
    `/media/replay/2026-01-01/${session}.replay.gz`,
    '/media/replay/..%2f..%2fsecret.key/x',
    '/media/replay/%2e%2e/secret.key',
    '/media/replay/2026-01-01/..%2f..%2f..%2fsecret.key',
    '/media/replay/2026-01-01/%252e%252e%252fsecret.key',
    '/media/interface/logo_index/..%2f..%2f..%2fsecret.key/',
  ]
  for (const path of files)
    for (const who of [call, auditor.in(ROOT_ORG).call]) {
      const { status, text }: Answer = await who('GET', path)
      expect(`${path} ${status >= 400 && status < 500}`).toBe(`${path} true`)
      expect(text).not.toMatch(/^[A-Za-z0-9+/]{43}=/)
    }
})

test('codes of shares are not tried without end, and a share that is none says nothing', async () => {
  const tries = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      plain.call('POST', '/api/v1/terminal/session-join-records/', {
        sharing: randomUUID(),
        verify_code: String(n).padStart(4, '0'),
      }),
    ),
  )
  for (const { status, text } of tries) {
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(text).not.toContain('"session"')
  }
})
