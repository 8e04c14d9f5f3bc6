import { afterAll, beforeAll, expect, test } from 'vitest'
import { APPS, ASSETS, assetRows2, assetRows3, DOMAIN, GATEWAY, LABEL, NODES } from '../fixtures/assets-fixture.ts'
import {
  type Installation,
  type Installations,
  onTarget,
  opened,
  startInstallations,
} from '../fixtures/installations-fixture.ts'
import { PEOPLE, peopleRows, SHANGHAI } from '../fixtures/people-fixture.ts'
import { V2_19, V3_10, V4_10 } from '../fixtures/tables-fixture.ts'
import { allLinesOf } from '../report/print.ts'

let theirs: Installations
let sources: Installation[]
beforeAll(async () => {
  theirs = await startInstallations()
  sources = [
    await theirs.make('mysql', V2_19, { ...peopleRows('v2.19'), ...assetRows2 }),
    await theirs.make('postgres', V3_10, { ...peopleRows('v3.10'), ...assetRows3('domain') }),
    await theirs.make('mysql', V4_10, { ...peopleRows('v4.10'), ...assetRows3('zone') }),
  ]
})
afterAll(() => theirs?.close())

test.each([0, 1, 2])('assets, the tree, gateways, applications and labels come (%#)', async (at) => {
  const isOld = at === 0
  await onTarget(async (target) => {
    const { report } = await target.import(sources[at] as Installation)
    const assets = await target.rows('SELECT * FROM assets_asset ORDER BY id')
    expect(assets.map(({ id, hostname, protocols }) => [id, hostname, protocols.join(' ')])).toEqual([
      [ASSETS.web1, 'web-1', 'ssh/2222 vnc/5901'],
      [ASSETS.plain, 'plain', 'rdp/3390'],
      [ASSETS.homeless, 'homeless', 'ssh/22'],
      [ASSETS.windows, 'win', 'rdp/3389 ssh/22'],
      [ASSETS.shanghai, '上海-1', 'ssh/22'],
    ])
    const [web1, plain, , windows, shanghai] = assets
    expect(web1).toMatchObject({
      platform: 'Old SUSE',
      vendor: 'Dell',
      cpu_count: 2,
      connectivity: 'ok',
      domain: DOMAIN,
    })
    expect([plain.platform, plain.domain]).toEqual(['Windows', null])
    expect([windows.is_active, shanghai.org_id]).toEqual([false, SHANGHAI])
    // Secrets may be sent to where the asset is.
    expect(plain.confirmed_destinations).toHaveLength(1)
    expect(
      await target.rows(`SELECT base, charset, id >= 100 AS own FROM assets_platform WHERE name = 'Old SUSE'`),
    ).toEqual([{ base: 'Linux', charset: 'gbk', own: true }])

    const nodes = await target.rows('SELECT id, key, full_value FROM assets_node ORDER BY path')
    const [root] = await target.rows(`SELECT id, key FROM assets_node WHERE org_id = $1 AND parent_key = ''`, [
      SHANGHAI,
    ])
    expect(nodes.filter(({ key }) => key.startsWith('1:'))).toEqual([
      { id: NODES.orphan, key: '1:3', full_value: '/Default/Lost' },
      { id: NODES.web, key: '1:4', full_value: '/Default/Web' },
      { id: NODES.deep, key: '1:4:0', full_value: '/Default/Web/a-b' },
      { id: NODES.twin, key: '1:5', full_value: '/Default/Web-2' },
    ])
    const [{ child_mark: next }] = await target.rows(`SELECT child_mark FROM assets_node WHERE key = '1'`)
    expect(next).toBe(6)
    const places = await target.rows('SELECT asset_id, node_id FROM assets_asset_node ORDER BY 1, 2')
    const own = (asset: string) => places.filter((one) => one.asset_id === asset).map((one) => one.node_id)
    expect(own(ASSETS.web1)).toEqual([NODES.web, NODES.deep])
    expect(own(ASSETS.homeless)).toEqual([nodes.find(({ key }) => key === '1').id])
    // A node of another organization is no place for it.
    expect(own(ASSETS.shanghai)).toEqual([root.id])

    const [gateway] = await target.rows('SELECT * FROM assets_gateway')
    expect(gateway).toMatchObject({
      id: GATEWAY,
      name: 'jump',
      ip: '192.0.2.1',
      port: 2200,
      username: 'hop',
      domain: DOMAIN,
      is_active: true,
    })
    expect(opened(gateway.password_sealed)).toBe('hop word')

    const apps = await target.rows('SELECT id, type, attrs, domain FROM applications_application ORDER BY id')
    expect(apps.map(({ id }) => id)).toEqual([APPS.shop, APPS.cluster, ...(isOld ? [APPS.chrome] : [])])
    expect(apps[0]).toMatchObject({
      type: 'mysql',
      domain: DOMAIN,
      attrs: { host: '10.1.1.1', port: 3307, database: 'shop' },
    })
    expect(apps[1].attrs).toEqual({ cluster: 'https://10.1.1.3:6443' })
    if (isOld) {
      const { chrome_password: sealed, ...attrs } = apps[2].attrs
      expect(attrs).toEqual({
        asset: ASSETS.windows,
        path: 'C:\\chrome.exe',
        chrome_target: 'https://intranet',
        chrome_username: 'me',
      })
      expect(opened(Buffer.from(sealed.$sealed, 'base64'))).toBe('app word')
    }
    expect(await target.rows('SELECT label_id, asset_id FROM assets_label_asset')).toEqual([
      { label_id: LABEL, asset_id: ASSETS.web1 },
    ])
    expect(await target.rows('SELECT user_id, asset FROM assets_favorite_asset')).toEqual([
      { user_id: PEOPLE.alice, asset: ASSETS.web1 },
    ])
    const text = allLinesOf(report.kinds, 'en').join('\n')
    for (const words of [
      'Has none of SSH, RDP, Telnet and VNC: printer',
      'Its domain has not come: plain',
      'The node above it is gone there: comes below the root: Lost',
      'Comes as Web-2: another node has its name: Web',
      'Is of the type mongodb, which is not known here: documents',
      'One end is of another organization, or is missing: 1',
    ])
      expect(text).toContain(words)

    // Nothing changed there: nothing is written here.
    const { report: again } = await target.import(sources[at] as Installation)
    for (const { label, added, updated } of again.kinds) expect([label, added, updated]).toEqual([label, 0, 0])
  })
})

test('a node that was renamed there renames the paths below it; one that was made here first is the same', async () => {
  const from = await theirs.make('postgres', V3_10, { ...peopleRows('v3.10'), ...assetRows3('domain') })
  await onTarget(async (target) => {
    const [root] = await target.rows(`SELECT key FROM assets_node WHERE parent_key = ''`)
    const own = 'b0000000-0000-4000-8000-000000000044'
    await target.rows(
      `INSERT INTO assets_node (id, org_id, key, parent_key, value, full_value)
       SELECT '${own}', org_id, '1:4', '1', 'Web', '/Default/Web' FROM assets_node WHERE key = $1`,
      [root.key],
    )
    await target.import(from)
    const deep = async () =>
      (await target.rows(`SELECT key, full_value FROM assets_node WHERE id = '${NODES.deep}'`))[0]
    expect(await deep()).toEqual({ key: '1:4:0', full_value: '/Default/Web/a-b' })
    expect(
      await target.rows(`SELECT node_id FROM assets_asset_node WHERE asset_id = '${ASSETS.web1}' ORDER BY 1`),
    ).toEqual([{ node_id: own }, { node_id: NODES.deep }])
    await from.sql(`UPDATE assets_node SET value = 'Front' WHERE id = '${NODES.twin}';
      UPDATE assets_node SET value = 'deeper' WHERE id = '${NODES.deep}'`)
    await target.import(from)
    expect((await deep()).full_value).toBe('/Default/Web/deeper')
    expect(await target.rows(`SELECT full_value FROM assets_node WHERE id = '${NODES.twin}'`)).toEqual([
      { full_value: '/Default/Front' },
    ])
  })
})
