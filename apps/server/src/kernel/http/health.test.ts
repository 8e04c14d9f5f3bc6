import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabaseIn } from '../../../test/database.ts'
import { openTestServer, type TestServer } from '../../../test/server.ts'
import { mountSmallDisk, type SmallDisk } from '../../../test/small-disk.ts'

const GROUPS = '/api/v1/users/groups/'
/** A database with all tables takes some fifty. */
const MEGABYTES = 128

// Only root can mount a small file system.
describe.skipIf(process.getuid?.() !== 0)('on a small disk', () => {
  let folder: string
  let server: TestServer
  let ofDatabase: SmallDisk
  let ofNode: SmallDisk
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-health-'))
    // The database's account passes through.
    chmodSync(folder, 0o711)
    ofDatabase = mountSmallDisk(join(folder, 'database'), MEGABYTES)
    ofNode = mountSmallDisk(join(folder, 'node'))
    const database = await createDatabaseIn(join(folder, 'database'))
    server = await openTestServer({ SALLYPORT_DATA_DIR: join(folder, 'node') }, database)
  })
  afterAll(async () => {
    await server?.close()
    for (const disk of [ofDatabase, ofNode]) disk?.unmount()
    rmSync(folder, { recursive: true, force: true })
  })

  const health = () => server.call('GET', '/api/health/')
  /** More rows than fit on the pages that the database has. */
  const manyGroups = (prefix: string) =>
    Array.from({ length: 500 }, (_, n) => ({ name: `${prefix} ${n}`, comment: 'x'.repeat(100) }))

  test('a full disk of the database: changes are refused with 507 in words, reads go on, health says 503 until there is room', async () => {
    expect(await health()).toMatchObject({ status: 200, body: { status: true, disk_status: true } })
    ofDatabase.fill()
    expect(await server.admin.post(GROUPS, manyGroups('full'))).toMatchObject({
      status: 507,
      body: {
        code: 'no_space',
        detail: 'The disk of the server is full, so nothing was stored: tell its administrator',
      },
    })
    expect(await health()).toMatchObject({ status: 503, body: { status: false, db_status: true, disk_status: false } })
    expect(await server.admin.get(`${GROUPS}?search=full`)).toMatchObject({ status: 200, body: [] })
    ofDatabase.empty()
    await expect.poll(async () => (await health()).status).toBe(200)
    expect((await server.admin.post(GROUPS, manyGroups('again'))).status).toBe(201)
  })

  test('a full disk of the node: health says 503 until there is room', async () => {
    ofNode.fill()
    expect(await health()).toMatchObject({ status: 503, body: { status: false, db_status: true, disk_status: false } })
    ofNode.empty()
    expect((await health()).status).toBe(200)
  })
})
