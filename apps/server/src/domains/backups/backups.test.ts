import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEmptyDatabase } from '../../../test/database.ts'
import { type ObjectStore, startObjectStore } from '../../../test/object-store.ts'
import { openTestServer, type TestServer } from '../../../test/server.ts'
import { CHAINED_LOGS, sealLog } from '../audits/index.ts'
import { openPlace, restoreBackup, verifyBackup } from './index.ts'
import { makeBackup } from './make-backup.ts'

const AT_NIGHT = '30 2 * * *'
const PASSPHRASE = 'four words on a card'

let folder: string
let backups: string
let server: TestServer
let objects: ObjectStore
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-backups-'))
  backups = join(folder, 'backups')
  objects = await startObjectStore()
  server = await openTestServer({
    SALLYPORT_BACKUP: backups,
    SALLYPORT_BACKUP_AT: AT_NIGHT,
    SALLYPORT_BACKUP_KEEP: '2',
    SALLYPORT_BACKUP_PASSPHRASE: PASSPHRASE,
    SALLYPORT_BACKUP_ENDPOINT: objects.endpoint,
    SALLYPORT_BACKUP_ACCESS_KEY: 'S3RVER',
    SALLYPORT_BACKUP_SECRET_KEY: 'S3RVER',
  })
})
afterAll(async () => {
  await server?.close()
  await objects?.close()
  rmSync(folder, { recursive: true, force: true })
})

const status = async () => (await server.admin.get('/api/v1/backups/status/')).body

/** Has a job done, and answers its end. */
async function done(queue: string): Promise<{ state: string; error: string }> {
  const { kernel } = server
  const id = await kernel.jobs.send(queue, {})
  const job = async () =>
    (
      await kernel.pool.query<{ state: string; error: string }>('SELECT state, error FROM kernel_job WHERE id = $1', [
        id,
      ])
    ).rows[0]
  await expect.poll(async () => (await job())?.state).toMatch(/done|failed/)
  return (await job()) ?? { state: '', error: '' }
}

/** The job of the night, and its end. */
const atNight = () => done('backups.make')

const recording = (name: string) => join(server.kernel.config.dataDirectory, 'replay', '2026-11-21', name)
function record(name: string, content: string): void {
  mkdirSync(join(recording(name), '..'), { recursive: true })
  writeFileSync(recording(name), content)
}
const kept = () => readdirSync(join(backups, 'backups')).length
const objectsKept = () =>
  readdirSync(join(backups, 'recordings'), { recursive: true, encoding: 'utf8' })
    .map((name) => /([a-z]+\.cast)(?:\.gz)?-[0-9a-f]{32}$/.exec(name)?.[1])
    .filter(Boolean)
    .sort()

test('by the clock a backup is made, shown on the start page, and removed once there are enough newer ones, with the recordings that no other has', async () => {
  expect(await status()).toMatchObject({ state: 'waiting', place: backups, date_good: null })
  record('first.cast.gz', 'of the first backup alone')
  record('second.cast', 'as it began')
  record('third.cast.gz', 'of all')
  expect(await atNight()).toMatchObject({ state: 'done' })
  expect(await status()).toMatchObject({ state: 'good', place: backups, has_key: true, recordings: 3, error: '' })
  expect(objectsKept()).toEqual(['first.cast', 'second.cast', 'third.cast'])

  rmSync(recording('first.cast.gz'))
  record('second.cast', 'as it began, and went on')
  await atNight()
  // Recordings of an older backup stay for it.
  expect(objectsKept()).toEqual(['first.cast', 'second.cast', 'second.cast', 'third.cast'])
  await atNight()
  expect(kept()).toBe(2)
  expect(objectsKept()).toEqual(['second.cast', 'third.cast'])
  expect(readdirSync(join(backups, 'parts')).length).toBe(2)
  const { body } = await server.admin.in(ROOT_ORG_ID).get('/api/v1/audits/operate-logs/?resource_type=Backup')
  expect(body.map((row: { user: string; action: string }) => `${row.user} ${row.action}`)).toEqual(
    Array(3).fill('System export'),
  )
})

test('a backup that fails is on the start page and in the inbox of system administrators, with the reason', async () => {
  const aside = `${backups}-aside`
  renameSync(backups, aside)
  writeFileSync(backups, 'a file where the folder was')
  try {
    const { state, error } = await atNight()
    expect({ state, error }).toEqual({
      state: 'failed',
      error: expect.stringMatching(/^The folder .* cannot be written to/),
    })
    expect(await status()).toMatchObject({ state: 'failed', error })
    const { body } = await server.admin.get('/api/v1/notifications/site-message/')
    expect(JSON.stringify(body)).toContain('A backup of the installation failed')
  } finally {
    rmSync(backups)
    renameSync(aside, backups)
  }
  await atNight()
  expect(await status()).toMatchObject({ state: 'good', date_failed: null })
})

test('a last good backup that is older than twice the time between two is on the start page, and told once', async () => {
  const { pool } = server.kernel
  const inbox = async () => {
    const { body } = await server.admin.get('/api/v1/notifications/site-message/')
    return JSON.stringify(body).split('There is no recent backup of the installation').length - 1
  }
  await atNight()
  const aged = (hours: number) =>
    pool.query(`UPDATE backups_backup SET date_snapshot = now() - make_interval(hours => $1)`, [hours])
  await aged(47)
  await done('backups.watch')
  expect(await status()).toMatchObject({ state: 'good' })
  expect(await inbox()).toBe(0)
  await aged(49)
  for (let hour = 0; hour < 2; hour++) await done('backups.watch')
  expect(await status()).toMatchObject({ state: 'late' })
  expect(await inbox()).toBe(1)
})

test('in a bucket a backup is as good as in a folder: verified, restored, and refused where a file is damaged', async () => {
  const { config, pool, secrets } = server.kernel
  const place = openPlace('s3://recordings/backups', config)
  const row = { name: 'root by word', username: 'root', protocol: 'ssh', login_mode: 'auto', password: 'Open-sesame-9' }
  expect((await server.admin.post('/api/v1/assets/system-users/', row)).status).toBe(201)
  rmSync(recording('third.cast.gz'))
  writeFileSync(recording('packed.cast.gz'), gzipSync('what was on the screen'))
  const parts = { pool, config, vault: secrets, place, passphrase: PASSPHRASE, madeBy: 'operator', keep: 9 } as const
  const made = await makeBackup(parts)

  const lines: string[] = []
  const scratch = async () => {
    const { connection, drop } = await createEmptyDatabase()
    return { connection, close: drop }
  }
  const options = { config, place, id: made.id, passphrase: async () => PASSPHRASE, openDatabase: scratch }
  await verifyBackup({ ...options, report: (line) => lines.push(line) })
  expect(lines).toEqual([
    expect.stringMatching(/^Every file is as it was written: 2 of recordings/),
    expect.stringMatching(/^The database was restored: \d{2,} rows/),
    expect.stringMatching(/^[1-9]\d* secrets were opened/),
    'A recording was opened: 2026-11-21/packed.cast.gz.',
    expect.stringMatching(/^The logs are as they were chained: \d+ rows/),
  ])

  const data = join(folder, 'restored')
  mkdirSync(data)
  const { connection, drop } = await createEmptyDatabase()
  try {
    const elsewhere = { ...config, dataDirectory: data, secretKey: undefined, databaseUrl: undefined }
    await restoreBackup({
      ...options,
      config: elsewhere,
      openDatabase: async () => ({ connection, close: async () => {} }),
    })
    expect(readdirSync(data)).toEqual(expect.arrayContaining(['secret.key', 'node-id', 'replay']))
    expect(readFileSync(join(data, 'node-id'), 'utf8')).toBe(
      readFileSync(join(config.dataDirectory, 'node-id'), 'utf8'),
    )
  } finally {
    await drop()
  }
  await place.remove(`parts/${made.id}/database/users_user.copy.zst`)
  await expect(verifyBackup({ ...options, report: () => {} })).rejects.toThrow('users_user.copy.zst')

  // Somebody with the database changed the past before the backup was made.
  for (const log of CHAINED_LOGS) await sealLog(server.kernel.db, secrets, log)
  await pool.query(`UPDATE audits_operate_log SET "user" = 'nobody' WHERE resource_type = 'Backup'`)
  const { id } = await makeBackup(parts)
  await expect(verifyBackup({ ...options, id, report: () => {} })).rejects.toThrow(
    /^The log operate_log .* was changed/,
  )
})

test.each([
  ['s3://nowhere/at-all', /has no bucket nowhere: make it, or correct SALLYPORT_BACKUP/],
  ['/dev/null/backups', /cannot be written to .*: let the account/],
])('a place that cannot be used is refused in one sentence: %s', async (address, words) => {
  const { config, pool, secrets } = server.kernel
  const place = openPlace(address, config)
  const made = makeBackup({ pool, config, vault: secrets, place, madeBy: 'operator', keep: 9 })
  await expect(made).rejects.toThrow(words)
})

test('a folder in the data directory is no place for backups, and another installation’s is none either', async () => {
  const { config, pool, secrets } = server.kernel
  expect(() => openPlace(join(config.dataDirectory, 'backups'), config)).toThrow(
    /is in the data directory .*another disk/,
  )
  const manifest = readdirSync(join(backups, 'backups')).sort().at(-1) ?? ''
  const foreign = join(folder, 'foreign')
  mkdirSync(join(foreign, 'backups'), { recursive: true })
  const text = readFileSync(join(backups, 'backups', manifest), 'utf8')
  const key = /"id": "([0-9a-f]{16})"/.exec(text)?.[1] ?? ''
  writeFileSync(join(foreign, 'backups', manifest), text.replaceAll(key, '0123456789abcdef'))
  const place = openPlace(foreign, config)
  const made = makeBackup({ pool, config, vault: secrets, place, madeBy: 'operator', keep: 9 })
  await expect(made).rejects.toThrow('holds backups of another installation')
})
