import { createHash } from 'node:crypto'
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { as, type DomainServer, openDomainServer } from '../../../../test/domain-server.ts'
import { CHAINED_LOGS, sealLog, verifyLog } from '../../../domains/audits/index.ts'
import { openVerified } from '../../../domains/audits/verifier-fixture.ts'
import { recordingStore } from '../../../domains/terminal/recording/index.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import { KeyRing } from '../../../kernel/secrets/key-ring.ts'
import { secretKey } from '../../../kernel/secrets/secret-key.ts'
import { ASSETS, assetRows2, assetRows3 } from '../fixtures/assets-fixture.ts'
import {
  CAST,
  DESK,
  daysAgo,
  HISTORY_2,
  HISTORY_3,
  historyRows,
  OLD_JSON,
  SESSIONS,
  writeEndless,
  writeMedia,
} from '../fixtures/history-fixture.ts'
import {
  type Installation,
  type Installations,
  onTarget,
  startInstallations,
  vault,
} from '../fixtures/installations-fixture.ts'
import { DEFAULT, PEOPLE, peopleRows, SHANGHAI } from '../fixtures/people-fixture.ts'
import { KEY } from '../fixtures/sealed-fixture.ts'
import { V2_28, V3_10, V4_10 } from '../fixtures/tables-fixture.ts'
import type { HistoryRequest } from '../history-request.ts'
import { allLinesOf } from '../report/print.ts'
import type { Report } from '../report/report.ts'
import { runImport } from '../run-import.ts'
import { secretKeys } from '../secrets/index.ts'
import { openSource } from '../source/open-source.ts'

let theirs: Installations
let server: DomainServer
const media = mkdtempSync(join(tmpdir(), 'sallyport-media-'))
beforeAll(async () => {
  writeMedia(media)
  ;[theirs, server] = await Promise.all([startInstallations(), openDomainServer()])
})
afterAll(async () => {
  await server?.close()
  await theirs?.close()
  rmSync(media, { recursive: true })
})

const counts = (report: Report, label: string) => {
  const { read, added, updated, same, behind } = report.kind(label)
  return { read, added, updated, same, behind }
}
const LOGS = ['Past sign-ins', 'Past operations', 'Past file transfers', 'Past password changes']
const textOf = (report: Report) => allLinesOf(report.kinds, 'en').join('\n')
const untranslated = ({ kinds }: Report) =>
  kinds
    .flatMap(({ label, changed, stays }) => [label, ...changed.keys(), ...stays.keys()])
    .filter((sentence) => translate('cn', sentence) === sentence)

/** Imports into the server of this file. */
async function imported({ address }: Installation, history: HistoryRequest = {}, isDryRun = false): Promise<Report> {
  const source = await openSource(address)
  try {
    const config = { ...server.kernel.config, keepAtLeastDays: 0 }
    const { db, secrets } = server.kernel
    const request = {
      db,
      pool: server.pool,
      secrets,
      source,
      config,
      history,
      keys: secretKeys([KEY]),
      isDryRun,
      user: 'root',
    }
    return (await runImport(request)).report
  } finally {
    await source.close()
  }
}
const rows = async (sql: string) => (await server.pool.query(sql)).rows

const auditor = (org: string) => as({ role: 'Admin', org })
const get = (url: string, org = DEFAULT) => server.call('GET', `/api/v1/terminal/${url}`, undefined, auditor(org))

test('sessions and commands of version 2 come as history, and their recordings play from where they lie', async () => {
  const from = await theirs.make(
    'mysql',
    { ...V2_28, ...HISTORY_2 },
    {
      ...peopleRows('v2.28'),
      ...assetRows2,
      ...historyRows(2),
    },
  )
  const tried = await imported(from, { media }, true)
  expect(await rows('SELECT id FROM terminal_session')).toEqual([])
  expect(readdirSync(server.kernel.config.dataDirectory)).not.toContain('replay')
  const report = await imported(from, { media })
  expect(textOf(tried)).toBe(textOf(report))
  expect(untranslated(report)).toEqual([])
  expect(counts(report, 'Past sessions')).toEqual({ read: 9, added: 5, updated: 0, same: 0, behind: 4 })
  expect(counts(report, 'Past commands')).toEqual({ read: 6, added: 4, updated: 0, same: 0, behind: 2 })
  for (const words of [
    'Has no end there: it ends here as it began',
    'Goes on there: comes with the next run, once it is over',
    'Has the protocol mongodb, which there is not here',
    'or make the storage here: bucket',
    'Commands in it stay there: only the database is read: search',
    'Records of people who joined sessions of others: 1',
  ])
    expect(textOf(report)).toContain(words)

  const { body: shell } = await get(`sessions/${SESSIONS.shell}/`)
  expect(shell).toMatchObject({
    ...{ user: '爱丽丝(alice)', user_id: PEOPLE.alice, asset_id: ASSETS.web1, system_user: 'root(root)' },
    ...{ is_finished: true, has_replay: true, can_replay: true, command_amount: 3, risk_level: 5 },
    arrived_from: 'JumpServer',
  })
  const replays = {
    shell: (await get(`sessions/${SESSIONS.shell}/replay/`)).body.type,
    desk: (await get(`sessions/${SESSIONS.desk}/replay/`, SHANGHAI)).body.type,
    parts: (await get(`sessions/${SESSIONS.parts}/replay/`)).body.type,
    json: (await get(`sessions/${SESSIONS.json}/replay/`)).body.type,
  }
  expect(replays).toEqual({ shell: 'asciicast', desk: 'guacamole', parts: 'guacamole', json: 'json' })
  expect(counts(report, 'Recordings of sessions')).toMatchObject({ added: 4, updated: 0, same: 0 })
  // What leads out of the folder, or is of another day, is of no session.
  expect((await get(`sessions/${SESSIONS.dead}/`)).body.has_replay).toBe(false)

  const file = (id: string, suffix: string, days: number) =>
    join(server.kernel.config.dataDirectory, 'replay', daysAgo(days).toISOString().slice(0, 10), `${id}${suffix}`)
  expect(gunzipSync(readFileSync(file(SESSIONS.shell, '.cast.gz', 20))).toString()).toBe(CAST)
  expect(lstatSync(file(SESSIONS.shell, '.cast.gz', 20)).isSymbolicLink()).toBe(true)
  expect(gunzipSync(readFileSync(file(SESSIONS.json, '.gz', 14))).toString()).toBe(OLD_JSON)

  // Checksums are kept from the beginning, and links are as old as their sessions.
  const sum = (text: string) => createHash('sha256').update(text).digest('hex')
  const sums = Object.fromEntries(
    (await rows('SELECT id, replay_sha256 FROM terminal_session WHERE has_replay')).map((row) => [
      row.id,
      row.replay_sha256,
    ]),
  )
  expect(sums).toEqual({
    ...{ [SESSIONS.shell]: sum(CAST), [SESSIONS.desk]: sum(DESK), [SESSIONS.json]: sum(OLD_JSON) },
    [SESSIONS.parts]: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  const integrity = async (id: string) => (await get(`sessions/${id}/replay/integrity/`)).body
  expect(await integrity(SESSIONS.json)).toEqual({ intact: true })
  await rows(`UPDATE terminal_session SET replay_sha256 = '${sum('other')}' WHERE id = '${SESSIONS.json}'`)
  expect(await integrity(SESSIONS.json)).toEqual({ intact: false })
  await rows(`UPDATE terminal_session SET replay_sha256 = '${sum(OLD_JSON)}' WHERE id = '${SESSIONS.json}'`)

  // A link that is put in the place of a file leads nowhere; retention removes it, whatever it leads to.
  const linked = readlinkSync(file(SESSIONS.shell, '.cast.gz', 20))
  renameSync(linked, `${linked}.aside`)
  symlinkSync(join(media, 'secret'), linked)
  expect((await get(`sessions/${SESSIONS.shell}/replay/`)).status).toBe(404)
  const old: string[] = []
  for await (const name of recordingStore(server.kernel.config).olderThan(daysAgo(18))) old.push(name)
  expect(old).toContainEqual(expect.stringContaining(`${SESSIONS.shell}.cast.gz`))
  renameSync(`${linked}.aside`, linked)
  expect((await get(`sessions/${SESSIONS.shell}/replay/`)).status).toBe(200)

  // Played piece by piece, which packs it again here and leaves theirs alone.
  const before = readFileSync(
    join(media, 'replay', daysAgo(19).toISOString().slice(0, 10), `${SESSIONS.desk}.replay.gz`),
  )
  const url = `sessions/${SESSIONS.desk}/replay/index/`
  await expect.poll(async () => (await get(url, SHANGHAI)).body.duration).toBe(5)
  expect(lstatSync(file(SESSIONS.desk, '.replay.gz', 19)).isSymbolicLink()).toBe(false)
  expect(gunzipSync(readFileSync(file(SESSIONS.desk, '.replay.gz', 19))).toString()).toBe(DESK)
  expect(
    readFileSync(join(media, 'replay', daysAgo(19).toISOString().slice(0, 10), `${SESSIONS.desk}.replay.gz`)),
  ).toEqual(before)
  await expect.poll(async () => (await get(`sessions/${SESSIONS.parts}/replay/index/`)).body.duration).toBe(9)

  for (const log of CHAINED_LOGS) {
    await sealLog(server.db, server.kernel.secrets, log)
    expect([log, await verifyLog(server.db, server.kernel.secrets, log)]).toMatchObject([log, { intact: true }])
  }

  // One that is at fault does not stop the others.
  writeEndless(media)
  const again = await imported(from, { media })
  expect(textOf(again)).toContain(`${SESSIONS.dead}.0.part.gz`)
  for (const label of ['Past sessions', 'Past commands', 'Recordings of sessions', ...LOGS])
    expect([label, counts(again, label)]).toMatchObject([label, { added: 0, updated: 0 }])
  // Read is what happened since three days before the last row.
  expect(counts(again, 'Past commands')).toMatchObject({ read: 3, same: 1 })
  const copied = await imported(from, { media, isCopied: true })
  expect(counts(copied, 'Recordings of sessions')).toMatchObject({ added: 0, updated: 2, same: 2 })
  // As old as its session, until it is played.
  expect(lstatSync(file(SESSIONS.shell, '.cast.gz', 20)).mtime).toEqual(daysAgo(20))
  const [{ replay_sha256: sha256 }] = await rows(
    `SELECT replay_sha256 FROM terminal_session WHERE id = '${SESSIONS.shell}'`,
  )
  expect(sha256).toBe(createHash('sha256').update(CAST).digest('hex'))
  await expect.poll(async () => (await get(`sessions/${SESSIONS.shell}/replay/index/`)).body.duration).toBe(0.5)
  expect((await get(`sessions/${SESSIONS.shell}/replay/integrity/`)).body).toEqual({ intact: true })
  expect(lstatSync(file(SESSIONS.shell, '.cast.gz', 20)).isSymbolicLink()).toBe(false)
})

const BROKEN = `
  CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END $$;
  CREATE TRIGGER fail BEFORE INSERT ON terminal_command FOR EACH ROW WHEN (NEW.input = 'number 1000') EXECUTE FUNCTION fail()`

test('an import of many commands goes on where it was interrupted, and other systems do not see what is past', async () => {
  const from = await theirs.make(
    'postgres',
    { ...V3_10, ...HISTORY_3 },
    {
      ...peopleRows('v3.10'),
      ...assetRows3('domain'),
      ...historyRows(3),
    },
  )
  // Half an hour apart, behind all others.
  await from.sql(`
    INSERT INTO terminal_command (id, org_id, "user", asset, input, output, session, risk_level, timestamp, account)
    SELECT md5(n::text)::uuid, '', 'Bob(bob)', 'web', 'number ' || n, '', '', 8, extract(epoch FROM now())::int - n * 300, 'root'
    FROM generate_series(1, 4500) n`)
  // One that would take all memory with others like it.
  await from.sql(`ALTER TABLE terminal_command ALTER COLUMN output TYPE text;
    UPDATE terminal_command SET output = repeat('x', 100000) WHERE input = 'number 4500'`)
  const source = await openSource(from.address)
  const reading = { table: 'terminal.command', columns: ['output'], time: 'timestamp', from: '0' }
  for await (const batch of source.readHistory(reading))
    expect(Math.max(...batch.map(({ output }) => output?.length ?? 0))).toBeLessThanOrEqual(4096)
  // Where texts may be long, fewer rows are held at a time.
  const texts = ['org_id', 'user', 'asset', 'input', 'output', 'session', 'account']
  const sizes: number[] = []
  for await (const batch of source.read({ table: 'terminal.command', columns: texts })) sizes.push(batch.length)
  expect([sizes[0], sizes.reduce((sum, one) => sum + one)]).toEqual([292, 4506])
  await source.close()
  await onTarget(async (target) => {
    await target.rows(`UPDATE audits_forwarding SET is_on = true`)
    await target.rows(BROKEN)
    await expect(target.import(from)).rejects.toThrow()
    const [{ n: first }] = await target.rows('SELECT count(*)::int AS n FROM terminal_command')
    expect([first, await target.rows('SELECT 1 FROM terminal_session')]).toMatchObject([2999, { length: 5 }])
    await target.rows('DROP TRIGGER fail ON terminal_command')
    const { report } = await target.import(from, { history: { from: daysAgo(30) } })
    // Read again are three days, of the sixteen that these have taken.
    expect(counts(report, 'Past commands')).toMatchObject({ added: 1505, behind: 1 })
    expect(counts(report, 'Past commands').same).toBeLessThan(1000)
    expect(textOf(report)).toContain('Older than where the first run began, and later runs go on from there: 1')
    expect(untranslated(report)).toEqual([])
    expect(await target.rows('SELECT max(risk_level) AS risk, count(*)::int AS n FROM terminal_command')).toEqual([
      { risk: 5, n: 4504 },
    ])
    expect(await target.rows('SELECT DISTINCT category FROM audits_outbox')).toEqual([{ category: 'operation_log' }])
    const verified = await openVerified(target.database, new KeyRing([secretKey(Buffer.alloc(32, 7))]))
    try {
      for (const log of CHAINED_LOGS) await sealLog(target.db, vault, log)
      await verified.keepRoots()
      const { code, findings } = await verified.verified('session', 'command')
      expect([code, findings.join('\n')]).toEqual([0, expect.stringContaining('session: 5 rows hold')])
      // The mark is chained with the row.
      await target.rows(`UPDATE terminal_session SET arrived_from = NULL WHERE id = '${SESSIONS.shell}'`)
      expect((await verified.verified('session')).findings.join()).toMatch(/session .* was changed/)
    } finally {
      await verified.close()
    }
  })
})

test('history begins with the day that is asked for', async () => {
  const from = await theirs.make(
    'mysql',
    { ...V4_10, ...HISTORY_3 },
    {
      ...peopleRows('v4.10'),
      ...assetRows3('zone'),
      ...historyRows(3),
    },
  )
  await onTarget(async (target) => {
    const { report } = await target.import(from, { history: { from: daysAgo(18) } })
    expect(counts(report, 'Past sessions')).toEqual({ read: 9, added: 3, updated: 0, same: 0, behind: 6 })
    expect(counts(report, 'Recordings of sessions')).toMatchObject({ added: 0 })
    expect(textOf(report)).toContain('Not asked for: name the media folder to have them: --media')
    expect(await target.rows(`SELECT "system_user" FROM terminal_session WHERE id = '${SESSIONS.json}'`)).toEqual([
      { system_user: 'root(root)' },
    ])
  })
})

test('logs come as history, and each is read by those who may read the logs of its person', async () => {
  for (const [engine, tables, people, assets, version] of [
    ['mysql', V2_28, 'v2.28', assetRows2, 2],
    ['postgres', V3_10, 'v3.10', assetRows3('domain'), 3],
  ] as const) {
    const from = await theirs.make(
      engine,
      { ...tables, ...(version === 2 ? HISTORY_2 : HISTORY_3) },
      { ...peopleRows(people), ...assets, ...historyRows(version) },
    )
    await onTarget(async (target) => {
      const tried = await target.import(from, { isDryRun: true })
      const { report } = await target.import(from)
      expect(textOf(tried.report)).toBe(textOf(report))
      expect(untranslated(report)).toEqual([])
      expect(LOGS.map((label) => counts(report, label))).toMatchObject([
        { read: 3, added: 2, behind: 1 },
        { read: 3, added: 2, behind: 1 },
        { read: 3, added: 2, behind: 1 },
        { read: 1, added: 1, behind: 0 },
      ])
      expect(
        await target.rows(
          'SELECT username, user_id, org_ids, type, mfa, status, arrived_from FROM audits_login_log ORDER BY id',
        ),
      ).toEqual([
        {
          ...{ username: 'alice', user_id: PEOPLE.alice, type: 'W', mfa: 1, status: true, arrived_from: 'JumpServer' },
          org_ids: [DEFAULT, SHANGHAI],
        },
        {
          ...{ username: 'nobody', user_id: null, type: 'U', mfa: 2, status: false, arrived_from: 'JumpServer' },
          org_ids: [],
        },
      ])
      const operations = await target.rows(
        `SELECT action, org_id, user_id FROM audits_operate_log WHERE arrived_from = 'JumpServer' ORDER BY id`,
      )
      expect(operations).toEqual([
        { action: 'create', org_id: DEFAULT, user_id: PEOPLE.alice },
        { action: 'delete', org_id: ROOT_ORG_ID, user_id: PEOPLE.alice },
      ])
      expect(await target.rows('SELECT operate, org_id, session_id FROM audits_ftp_log ORDER BY id')).toEqual([
        { operate: 'Upload', org_id: DEFAULT, session_id: version === 2 ? null : SESSIONS.shell },
        { operate: 'Rename', org_id: DEFAULT, session_id: null },
      ])
      expect(await target.rows('SELECT user_id, change_by_id FROM audits_password_change_log')).toEqual([
        { user_id: PEOPLE.alice, change_by_id: PEOPLE.admin },
      ])
      for (const log of CHAINED_LOGS) await sealLog(target.db, vault, log)
      const verified = await openVerified(target.database, new KeyRing([secretKey(Buffer.alloc(32, 7))]))
      try {
        await verified.keepRoots()
        const logs = ['login_log', 'operate_log', 'ftp_log', 'password_change_log']
        expect((await verified.verified(...logs)).code).toBe(0)
        await target.rows('UPDATE audits_ftp_log SET arrived_from = NULL')
        expect((await verified.verified('ftp_log')).findings.join()).toContain('row 1 was changed')
      } finally {
        await verified.close()
      }
      const again = await target.import(from)
      for (const label of LOGS) expect([label, counts(again.report, label)]).toMatchObject([label, { added: 0 }])
    })
  }
})
