import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { spreadsheetFile } from '../../../test/spreadsheet-file.ts'
import { foldRowCounts } from '../../kernel/row-counts.ts'
import {
  type AssetsFixture,
  admin,
  component,
  openAssetsFixture,
  ordinary,
  otherAdmin,
  superAdmin,
} from './assets-fixture.ts'
import { checkAssetAmounts } from './nodes/counts.ts'

const ASSETS = '/api/v1/assets/assets/'
let fixture: AssetsFixture
beforeAll(async () => {
  fixture = await openAssetsFixture()
})
afterAll(() => fixture?.close())

let number = 0
const anAsset = (more: Record<string, unknown> = {}, headers = admin) => {
  number++
  return fixture.make(
    'assets',
    { hostname: `host-${number}`, ip: `10.0.0.${number}`, platform: 'Linux', ...more },
    headers,
  )
}

describe('assets', () => {
  test('[A3.16 B7.33] a new asset has the usual protocol, the root node and all its displays', async () => {
    const row = await anAsset()
    expect(row).toMatchObject({
      protocols: ['ssh/22'],
      nodes: [fixture.root.id],
      nodes_display: ['/Default'],
      connectivity: 'unknown',
      admin_user_display: '',
      org_name: 'Default',
      created_by: 'Ann',
      hardware_info: '',
    })
    expect('domain_display' in row).toBe(false)
    expect('port' in row).toBe(false)
  })

  test('an IPv6 address in brackets is that address, of assets and of gateways', async () => {
    const row = await anAsset({ ip: '[2001:db8::7]', public_ip: '[::1]' })
    expect([row.ip, row.public_ip]).toEqual(['2001:db8::7', '::1'])
    const { body } = await fixture.call('PATCH', `${ASSETS}${row.id}/`, { ip: '[::1]' })
    expect(body.ip).toBe('::1')
    const domain = await fixture.make('domains', { name: 'bracketed' })
    const gateway = await fixture.make('gateways', { name: 'bracketed', ip: '[::1]', username: 'a', domain: domain.id })
    expect(gateway.ip).toBe('::1')
  })

  test('[A5.07] protocols are checked one by one, the errors aligned with the list', async () => {
    const wrong = await fixture.call('POST', ASSETS, {
      hostname: 'p',
      ip: '1',
      platform: 'Linux',
      protocols: ['ssh/22', 'ftp/21', 'ssh/23'],
    })
    expect(wrong.status).toBe(400)
    expect(wrong.body).toEqual({ protocols: [[], ['Write a protocol as ssh/22'], ['This protocol is listed twice']] })
  })

  test('[A5.07] a port is a number from 1 to 65535, in the list and in the legacy pair', async () => {
    const asset = { hostname: 'ports', ip: '1', platform: 'Linux' }
    const text = ['Port Error, please check']
    const list = await fixture.call('POST', ASSETS, { ...asset, protocols: ['ssh/0', 'rdp/65536', 'vnc/65535'] })
    expect(list).toMatchObject({ status: 400, body: { protocols: [text, text] } })
    const pair = await fixture.call('POST', ASSETS, { ...asset, protocol: 'ssh', port: 0 })
    expect(pair).toMatchObject({ status: 400, body: { port: text } })
    const row = await anAsset({ protocols: ['ssh/1', 'vnc/65535'] })
    expect(row.protocols).toEqual(['ssh/1', 'vnc/65535'])
  })

  test('[A3.16] the legacy protocol and port count as a list of one, and an update without either keeps the list', async () => {
    const row = await anAsset({ protocol: 'rdp', port: 3390 })
    expect(row.protocols).toEqual(['rdp/3390'])
    const { body } = await fixture.call('PUT', `${ASSETS}${row.id}/`, {
      hostname: row.hostname,
      ip: row.ip,
      platform: 'Windows',
    })
    expect(body).toMatchObject({ protocols: ['rdp/3390'], platform: 'Windows', nodes: [fixture.root.id] })
  })

  test('the nodes of an asset can not be emptied', async () => {
    const row = await anAsset()
    expect((await fixture.call('PATCH', `${ASSETS}${row.id}/`, { nodes: [] })).status).toBe(400)
  })

  test('[A1.24] only an identity of type admin of the same organization becomes admin user, and gets an account', async () => {
    const common = await fixture.make('system-users', { name: 'common', username: 'web', password: 'x1' })
    const privileged = await fixture.make('system-users', {
      name: 'boss',
      username: 'root',
      password: 'x1',
      type: 'admin',
    })
    const foreign = await fixture.make(
      'system-users',
      { name: 'boss', username: 'root', password: 'x1', type: 'admin' },
      otherAdmin,
    )
    const row = await anAsset({ is_active: false })
    for (const id of [common.id, foreign.id]) {
      const { status, body } = await fixture.call('PATCH', `${ASSETS}${row.id}/`, { admin_user: id })
      expect(status).toBe(400)
      expect(Object.keys(body)).toEqual(['admin_user'])
    }
    const byRoot = await fixture.call('PATCH', `${ASSETS}${row.id}/`, { admin_user: foreign.id }, superAdmin)
    expect(byRoot.body).toEqual({ admin_user: [expect.stringContaining('does not exist')] })
    const { body } = await fixture.call('PATCH', `${ASSETS}${row.id}/`, { admin_user: privileged.id })
    expect(body.admin_user_display).toBe('boss(root)')
    const relations = (await fixture.call('GET', `/api/v1/assets/system-users-assets-relations/?asset=${row.id}`)).body
    expect(relations).toHaveLength(1)
    expect(relations[0]).toMatchObject({
      systemuser_display: 'boss(root)',
      asset_display: `${row.hostname}(${row.ip})`,
    })
    await fixture.call('DELETE', `/api/v1/assets/system-users-assets-relations/${relations[0].id}/`)
    expect((await fixture.call('GET', `${ASSETS}${row.id}/`)).body.admin_user).toBe(null)
  })

  test('[B7.28] the list is narrowed by node, subtree, label, address, platform and domain', async () => {
    const web = (await fixture.call('POST', `/api/v1/assets/nodes/${fixture.root.id}/children/`, { value: 'web' })).body
    const shop = (await fixture.call('POST', `/api/v1/assets/nodes/${web.id}/children/`, { value: 'shop' })).body
    const above = await anAsset({ nodes: [web.id] })
    const below = await anAsset({ nodes: [shop.id], platform: 'Windows', protocols: ['rdp/3389'] })
    const env = await fixture.make('labels', { name: 'env', value: 'prod', assets: [above.id, below.id] })
    await fixture.make('labels', { name: 'team', value: 'blue', assets: [below.id] })
    const ids = async (query: string) =>
      ((await fixture.call('GET', `${ASSETS}?${query}`)).body as { id: string }[]).map((row) => row.id).sort()
    const both = [above.id, below.id].sort()
    expect(await ids(`node=${web.id}`)).toEqual(both)
    expect(await ids(`node_id=${web.key}`)).toEqual(both)
    expect(await ids(`node=${web.id}&all=0`)).toEqual([above.id])
    expect(await ids(`node=${web.id}&all=1&show_current_asset=1`)).toEqual([above.id])
    expect(await ids(`node=${web.id}&show_current_asset=null`)).toEqual(both)
    expect(await ids('label=env:prod')).toEqual(both)
    expect(await ids('label=env:prod&label=team%23blue')).toEqual([below.id])
    expect(await ids('label=env:none')).toEqual([])
    expect(await ids('label=env')).toEqual([])
    expect(await ids(`ips=${above.ip},${below.ip}`)).toEqual(both)
    expect(await ids(`node=${web.id}&platform__base=Windows`)).toEqual([below.id])
    expect(await ids(`node=${web.id}&platform=Windows`)).toEqual([below.id])
    const inner = await fixture.make('domains', { name: 'inner', assets: [above.id] })
    expect(await ids(`domain=${inner.id}`)).toEqual([above.id])
    const unreadable = await fixture.call('GET', `${ASSETS}?domain=none`)
    expect([unreadable.status, unreadable.body]).toEqual([400, { domain: ['This value cannot be read.'] }])
    expect(await ids('node=nowhere')).toEqual([])
    expect(await ids(`node=${web.id}&protocols=rdp/3389`)).toEqual([below.id])
    expect((await fixture.call('GET', `/api/v1/assets/labels/${env.id}/`)).body).toMatchObject({
      asset_count: 2,
      category_display: 'User',
    })
    await fixture.call('PATCH', `/api/v1/assets/labels/${env.id}/`, { is_active: false })
    expect(await ids('label=env:prod')).toEqual([])
  })

  test('nothing of another organization is read, referred to or changed', async () => {
    const mine = await anAsset()
    const theirs = await anAsset({}, otherAdmin)
    expect((await fixture.call('GET', `${ASSETS}${theirs.id}/`)).status).toBe(404)
    expect((await fixture.call('PATCH', `${ASSETS}${theirs.id}/`, { comment: 'x' })).status).toBe(404)
    expect((await fixture.call('GET', `${ASSETS}${theirs.id}/host-keys/`)).status).toBe(404)
    expect((await fixture.call('POST', `${ASSETS}${theirs.id}/tasks/`, { action: 'test' })).status).toBe(404)
    expect((await fixture.call('PATCH', `${ASSETS}${mine.id}/`, { nodes: [fixture.otherRoot.id] })).status).toBe(400)
    expect(
      (await fixture.call('PUT', `/api/v1/assets/nodes/${fixture.root.id}/assets/add/`, { assets: [theirs.id] }))
        .status,
    ).toBe(400)
    expect(
      (await fixture.call('PUT', `/api/v1/assets/nodes/${fixture.otherRoot.id}/assets/add/`, { assets: [mine.id] }))
        .status,
    ).toBe(404)
    const crossed = await fixture.call('PATCH', `${ASSETS}${mine.id}/`, { nodes: [fixture.otherRoot.id] }, superAdmin)
    expect(crossed.body).toEqual({ nodes: [[expect.stringContaining('does not exist')]] })
    expect((await fixture.call('GET', ASSETS, undefined, ordinary)).status).toBe(403)
    const suggested = await fixture.call(
      'GET',
      `${ASSETS}suggestions/?search=${theirs.hostname}&action=suggestion`,
      undefined,
      ordinary,
    )
    expect(suggested.body).toEqual([])
  })

  test('[A2.19] a platform follows its rename, an internal or used one can not be deleted', async () => {
    const root = { ...superAdmin }
    const custom = await fixture.make('platforms', { name: 'Appliance', base: 'Unix', charset: 'gbk' }, root)
    expect(custom.id).toBeGreaterThanOrEqual(100)
    const row = await anAsset({ platform: 'Appliance' })
    expect((await fixture.call('PATCH', `/api/v1/assets/platforms/${custom.id}/`, { name: 'Box' }, root)).status).toBe(
      200,
    )
    expect((await fixture.call('GET', `${ASSETS}${row.id}/`)).body.platform).toBe('Box')
    const used = await fixture.call('DELETE', `/api/v1/assets/platforms/${custom.id}/`, undefined, root)
    expect([used.status, used.body.code]).toEqual([400, 'referenced_by_others'])
    expect((await fixture.call('PATCH', '/api/v1/assets/platforms/1/', { comment: 'x' }, root)).body).toMatchObject({
      detail: 'Internal platform',
    })
    expect((await fixture.call('DELETE', '/api/v1/assets/platforms/5/', undefined, root)).status).toBe(403)
    expect((await fixture.call('POST', '/api/v1/assets/platforms/', { name: 'Mine' })).status).toBe(403)
    expect((await fixture.call('GET', `${ASSETS}${row.id}/platform/`, undefined, component)).body).toMatchObject({
      name: 'Box',
      charset: 'gbk',
    })
  })

  test('[B7.36 B7.37] deleting assets takes their links along and lowers the count at once', async () => {
    const count = async () => (await fixture.call('GET', `${ASSETS}?limit=1`)).body.count as number
    const before = await count()
    const rows = [await anAsset(), await anAsset()]
    expect(await count()).toBe(before + 2)
    const { body } = await fixture.call('POST', '/api/v1/common/resources/cache/', {
      resources: rows.map((row) => row.id),
    })
    expect((await fixture.call('DELETE', `${ASSETS}?spm=${body.spm}`)).status).toBe(204)
    expect(await count()).toBe(before)
    expect((await fixture.call('DELETE', ASSETS)).status).toBe(400)
    expect(await count()).toBe(before)
  })
})

test('[B7.28] the count holds while it is folded beside writers, and a wrong one is put right', async () => {
  const { db, pool } = fixture.kernel
  const count = async () => (await fixture.call('GET', `${ASSETS}?limit=1`)).body.count as number
  const before = await count()
  await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 4 ? anAsset() : foldRowCounts(db))))
  expect(await count()).toBe(before + 15)
  await foldRowCounts(db)
  expect(await count()).toBe(before + 15)
  expect(
    (await pool.query("SELECT count(*)::int AS rows FROM kernel_row_count WHERE counted = 'assets_asset'")).rows[0]
      .rows,
  ).toBeLessThanOrEqual(2)
  await pool.query("INSERT INTO kernel_row_count (counted, org_id, delta) VALUES ('assets_asset', $1, 7)", [
    fixture.root.org_id,
  ])
  expect(await count()).toBe(before + 22)
  expect(await checkAssetAmounts(fixture.kernel, fixture.root.org_id, async () => {})).toEqual({ wrong: 1 })
  expect(await count()).toBe(before + 15)
})

test('[A1.04] old singular addresses lead to the new ones with method and body', async () => {
  const answer = await fixture.app.inject({
    method: 'POST',
    url: '/api/v1/assets/domain/?oid=x',
    headers: admin,
    payload: '',
  })
  expect([answer.statusCode, answer.headers.location]).toEqual([307, '/api/v1/assets/domains/?oid=x'])
})

test('[B7.33] a list of new assets is answered in its order, each with its own nodes', async () => {
  const node = await fixture.make('nodes', { value: 'in a list' })
  const drafts = ['list-b', 'list-a', 'list-c'].map((hostname, n) => ({
    hostname,
    ip: `10.9.0.${n}`,
    platform: 'Linux',
    ...(n ? { nodes: n === 1 ? [node.id] : [node.id, fixture.root.id] } : {}),
  }))
  const { status, body } = await fixture.call('POST', ASSETS, drafts)
  expect(status, JSON.stringify(body)).toBe(201)
  expect(body.map((row: { hostname: string }) => row.hostname)).toEqual(['list-b', 'list-a', 'list-c'])
  expect(fixture.operations.slice(-3).map(({ action, resource }) => `${action} ${resource}`)).toEqual([
    'create list-b(10.9.0.0)',
    'create list-a(10.9.0.1)',
    'create list-c(10.9.0.2)',
  ])
  expect(body.map((row: { nodes: string[] }) => row.nodes.toSorted())).toEqual([
    [fixture.root.id],
    [node.id],
    [node.id, fixture.root.id].toSorted(),
  ])
})

test('[B7.33] a list of new assets with refused ones stores none, and says of each why', async () => {
  const taken = await anAsset({ hostname: 'list-taken' })
  const draft = (hostname: string, more = {}) => ({ hostname, ip: '10.9.1.1', platform: 'Linux', ...more })
  const refused = await fixture.call('POST', ASSETS, [
    draft('list-good', { nodes_display: ['/Default/refused list'] }),
    draft('list-wrong', { protocols: ['gopher/70'] }),
    draft('list-taken'),
  ])
  expect(refused.status).toBe(400)
  expect(refused.body).toEqual([
    {},
    { protocols: [['Write a protocol as ssh/22']] },
    { hostname: ['This field must be unique.'] },
  ])
  const left = (await fixture.call('GET', `${ASSETS}?limit=15&search=list-`)).body.results
  expect(left.map((row: { id: string }) => row.id)).toContain(taken.id)
  expect(left.map((row: { hostname: string }) => row.hostname)).not.toContain('list-good')
  // A node that a refused list has made is gone as well: the next list makes it again.
  const next = await fixture.call('POST', ASSETS, [
    draft('list-good', { nodes_display: ['/Default/refused list'] }),
    draft('list-too', { nodes_display: ['/Default/refused list'] }),
  ])
  expect(next.status, JSON.stringify(next.body)).toBe(201)
  expect(next.body.map((row: { nodes_display: string[] }) => row.nodes_display)).toEqual([
    ['/Default/refused list'],
    ['/Default/refused list'],
  ])
})

test('[B7.43 B7.44] 10,000 assets come in from an XLSX file through preview and bulk create, nodes made on the way', async () => {
  const count = 10_000
  const header = ['*Hostname', '*IP', '*Platform', 'Protocols', 'Nodes name']
  const cells = Array.from({ length: count }, (_, n) => [
    `import-${n}`,
    `172.16.${n >> 8}.${n & 255}`,
    'Linux',
    '["ssh/22"]',
    `["/Default/import/rack-${n % 50}"]`,
  ])
  const file = spreadsheetFile([header, ...cells], 'xlsx')
  const preview = await fixture.call('POST', `${ASSETS}render-to-json/`, file, {
    ...admin,
    'content-type': 'text/xlsx',
  })
  expect(preview.status).toBe(200)
  expect(preview.body.data).toHaveLength(count)
  expect(preview.body.data[7]).toMatchObject({
    hostname: 'import-7',
    protocols: ['ssh/22'],
    nodes_display: ['/Default/import/rack-7'],
  })
  const created = await fixture.call('POST', ASSETS, preview.body.data)
  expect(created.status, JSON.stringify(created.body).slice(0, 500)).toBe(201)
  const page = (await fixture.call('GET', `${ASSETS}?limit=15&search=import-`)).body
  expect(page.count).toBe(count)
  const tree = (await fixture.call('GET', '/api/v1/assets/nodes/tree/?search=import')).body
  expect(tree[0].name).toBe(`import (${count})`)
  const rack = (await fixture.call('GET', '/api/v1/assets/nodes/tree/?value=rack-7')).body
  expect(rack[0].meta.data.assets_amount).toBe(count / 50)
})
