import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AssetsFixture, admin, openAssetsFixture, otherAdmin, superAdmin } from '../assets-fixture.ts'
import { ensureRootNode } from './tree.ts'

const NODES = '/api/v1/assets/nodes/'
let fixture: AssetsFixture
beforeAll(async () => {
  fixture = await openAssetsFixture()
})
afterAll(() => fixture?.close())

const child = async (parent: { id: string }, value?: string, headers = admin) => {
  const { status, body } = await fixture.call(
    'POST',
    `${NODES}${parent.id}/children/`,
    value === undefined ? {} : { value },
    headers,
  )
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}
let number = 0
const anAsset = (nodes: string[]) =>
  fixture.make('assets', { hostname: `n-${number++}`, ip: '10.1.1.1', platform: 'Linux', nodes })
const nodesOfAsset = async (id: string) =>
  (await fixture.call('GET', `/api/v1/assets/assets/${id}/`)).body.nodes as string[]
const node = async (id: string) => (await fixture.call('GET', `${NODES}${id}/`)).body

describe('the tree', () => {
  test('[A3.13] the default organization owns key 1, others count from 2, and roots follow the name of their organization', async () => {
    expect(fixture.root.key).toBe('1')
    expect(fixture.otherRoot.key).toBe('2')
    const leaf = await child(fixture.otherRoot, 'leaf', otherAdmin)
    await ensureRootNode(fixture.kernel.db, fixture.otherRoot.org_id, 'Renamed')
    expect((await fixture.call('GET', `${NODES}${leaf.id}/`, undefined, otherAdmin)).body.full_value).toBe(
      '/Renamed/leaf',
    )
    await ensureRootNode(fixture.kernel.db, fixture.otherRoot.org_id, 'Other')
  })

  test('[A3.13 B3.08] children get keys in order, free names when none is given, and no name of a real sibling', async () => {
    const top = await child(fixture.root, 'top')
    const first = await child(top)
    const second = await child(top)
    expect([first.key, second.key]).toEqual([`${top.key}:0`, `${top.key}:1`])
    expect([first.value, second.value]).toEqual(['New node 1', 'New node 2'])
    // Only real siblings count: the same name one level deeper is fine.
    expect((await child(first, 'top')).full_value).toBe('/Default/top/New node 1/top')
    const taken = await fixture.call('POST', `${NODES}${top.id}/children/`, { value: 'New node 1' })
    expect([taken.status, taken.body]).toEqual([400, { value: ['A node with this name already exists at this level'] }])
    expect((await fixture.call('POST', `${NODES}${top.id}/children/`, { value: 'a/b' })).status).toBe(400)
    expect((await fixture.call('POST', `${NODES}${top.id}/children/`, { value: null })).status).toBe(201)
  })

  test('[A3.13] a full path makes its missing levels and reuses the others', async () => {
    const deep = await fixture.make('nodes', { full_value: '/Default/a/b/c' })
    expect(deep).toMatchObject({ value: 'c', full_value: '/Default/a/b/c' })
    const beside = await fixture.make('nodes', { full_value: 'a/b/d' })
    expect(beside.key.split(':').slice(0, -1)).toEqual(deep.key.split(':').slice(0, -1))
    expect((await fixture.call('POST', NODES, { full_value: '/a/b/c' })).status).toBe(400)
  })

  test('[B7.35] renaming refreshes all paths below, but never the root', async () => {
    const top = await child(fixture.root, 'old')
    const below = await child(await child(top, 'x'), 'y')
    expect((await fixture.call('PATCH', `${NODES}${top.id}/`, { value: 'new' })).body.full_value).toBe('/Default/new')
    expect((await node(below.id)).full_value).toBe('/Default/new/x/y')
    const root = await fixture.call('PATCH', `${NODES}${fixture.root.id}/`, { value: 'mine' })
    expect([root.status, root.body]).toEqual([400, { error: "You can't update the root node name" }])
  })

  test('[A3.13] a moved node takes its subtree along, never below itself', async () => {
    const from = await child(fixture.root, 'from')
    const moved = await child(from, 'moved')
    const leaf = await child(moved, 'leaf')
    const to = await child(fixture.root, 'to')
    expect((await fixture.call('PUT', `${NODES}${to.id}/children/add/`, { nodes: [moved.id] })).body).toBe('OK')
    expect(await node(leaf.id)).toMatchObject({ key: `${to.key}:0:0`, full_value: '/Default/to/moved/leaf' })
    for (const target of [moved, leaf]) {
      const refused = await fixture.call('PUT', `${NODES}${target.id}/children/add/`, { nodes: [moved.id] })
      expect([refused.status, refused.body]).toEqual([400, { nodes: ["A node can't be moved below itself"] }])
    }
    expect((await fixture.call('PUT', `${NODES}${to.id}/children/add/`, { nodes: [fixture.root.id] })).status).toBe(400)
    expect(
      (await fixture.call('PUT', `${NODES}${fixture.otherRoot.id}/children/add/`, { nodes: [moved.id] })).status,
    ).toBe(404)
  })

  test('[A3.13] a root and a subtree with assets stay; an empty one goes with all below', async () => {
    const top = await child(fixture.root, 'full')
    const below = await child(top, 'inner')
    const asset = await anAsset([below.id])
    expect((await fixture.call('DELETE', `${NODES}${fixture.root.id}/`)).status).toBe(403)
    const refused = await fixture.call('DELETE', `${NODES}${top.id}/`)
    expect([refused.status, refused.body]).toEqual([
      403,
      { error: 'The node still holds assets and cannot be deleted' },
    ])
    await fixture.call('DELETE', `/api/v1/assets/assets/${asset.id}/`)
    expect((await fixture.call('DELETE', `${NODES}${top.id}/`)).status).toBe(204)
    expect((await fixture.call('GET', `${NODES}${below.id}/`)).status).toBe(404)
  })

  test('[A3.13 B3.08] one level at a time: the root and its children first, then those of a key, with assets when asked', async () => {
    const top = await child(fixture.root, 'level')
    const below = await child(top, 'deeper')
    const asset = await anAsset([below.id, top.id])
    await anAsset([below.id])
    const names = (items: { name: string }[]) => items.map((item) => item.name)
    const first = (await fixture.call('GET', `${NODES}children/tree/?assets=0`)).body
    expect(first[0]).toMatchObject({
      id: '1',
      pId: '',
      open: true,
      isParent: true,
      meta: { type: 'node', data: { id: fixture.root.id, key: '1', value: 'Default' } },
    })
    expect(names(first)).toContain('level (2)')
    const second = (await fixture.call('GET', `${NODES}children/tree/?key=${top.key}&assets=1`)).body
    expect(names(second)).toEqual(['deeper (2)', asset.hostname])
    expect(second[1]).toMatchObject({
      id: asset.id,
      pId: top.key,
      isParent: false,
      iconSkin: 'linux',
      chkDisabled: false,
      meta: { type: 'asset', data: { platform: 'Linux', org_name: 'Default' } },
    })
    const roots = (await fixture.call('GET', `${NODES}children/tree/`, undefined, superAdmin)).body
    expect(roots.map((item: { id: string }) => item.id)).toEqual(['1', '2'])
    expect((await fixture.call('GET', `${NODES}children/tree/?key=${top.key}`, undefined, otherAdmin)).status).toBe(404)
  })
})

describe('assets in nodes', () => {
  test('[A3.13] added, replaced and removed assets are always in some node', async () => {
    const [a, b] = [await child(fixture.root, 'A'), await child(fixture.root, 'B')]
    const asset = await anAsset([a.id])
    const added = await fixture.call('PUT', `${NODES}${b.id}/assets/add/`, { assets: [asset.id] })
    expect(added.body).toMatchObject({ assets: [asset.id], org_name: 'Default' })
    expect((await nodesOfAsset(asset.id)).sort()).toEqual([a.id, b.id].sort())
    await fixture.call('PUT', `${NODES}${fixture.root.id}/assets/replace/`, { assets: [asset.id] })
    expect(await nodesOfAsset(asset.id)).toEqual([fixture.root.id])
    await fixture.call('PUT', `${NODES}${a.id}/assets/replace/`, { assets: [asset.id] })
    await fixture.call('PUT', `${NODES}${a.id}/assets/remove/`, { assets: [asset.id] })
    expect(await nodesOfAsset(asset.id)).toEqual([fixture.root.id])
  })

  test('[A3.13] counts are right at once, each asset once a subtree, however many add at the same time', async () => {
    const top = await child(fixture.root, 'busy')
    const nodes = await Promise.all(Array.from({ length: 4 }, (_, n) => child(top, `rack-${n}`)))
    expect(new Set(nodes.map((one) => one.key)).size).toBe(4)
    const before = (await fixture.call('GET', `${NODES}children/tree/`)).body[0].name
    await Promise.all(Array.from({ length: 24 }, (_, n) => anAsset([nodes[n % 4].id, nodes[(n + 1) % 4].id])))
    const tree = (await fixture.call('GET', `${NODES}children/tree/?key=${top.key}`)).body as { name: string }[]
    expect(tree.map((item) => item.name)).toEqual(['rack-0 (12)', 'rack-1 (12)', 'rack-2 (12)', 'rack-3 (12)'])
    const level = (await fixture.call('GET', `${NODES}children/tree/`)).body as { name: string }[]
    expect(level.map((item) => item.name)).toContain('busy (24)')
    const amount = (text: string) => Number(/\((\d+)\)/.exec(text)?.[1])
    expect(amount(level[0]?.name ?? '')).toBe(amount(before) + 24)
  })

  test('[A1.23] binding a node links the assets below it, present and future, also those that are moved there', async () => {
    const top = await child(fixture.root, 'bound')
    const below = await child(top, 'inner')
    const present = await anAsset([below.id])
    const user = await fixture.make('system-users', { name: 'deploy', username: 'deploy', password: 'pw' })
    const binding = await fixture.make('system-users-nodes-relations', { systemuser: user.id, node: top.id })
    expect(binding).toMatchObject({ node_display: '/Default/bound', systemuser_display: 'deploy(deploy)' })
    const again = await fixture.call('POST', '/api/v1/assets/system-users-nodes-relations/', [
      { systemuser: user.id, node: top.id },
    ])
    expect([again.status, again.body[0].id]).toEqual([201, binding.id])
    const future = await anAsset([below.id])
    const elsewhere = await child(fixture.root, 'elsewhere')
    const moved = await anAsset([elsewhere.id])
    const linked = async () =>
      ((await fixture.call('GET', `/api/v1/assets/system-users/${user.id}/assets/`)).body as { id: string }[])
        .map((row) => row.id)
        .sort()
    expect(await linked()).toEqual([present.id, future.id].sort())
    await fixture.call('PUT', `${NODES}${top.id}/children/add/`, { nodes: [elsewhere.id] })
    expect(await linked()).toEqual([present.id, future.id, moved.id].sort())
    expect((await fixture.call('GET', `/api/v1/assets/system-users/${user.id}/`)).body).toMatchObject({
      assets_amount: 3,
      nodes: [top.id],
    })
    expect(
      (
        await fixture.call(
          'DELETE',
          `/api/v1/assets/system-users-nodes-relations/?systemuser=${user.id}&node=${top.id}`,
        )
      ).status,
    ).toBe(204)
    expect(await linked()).toHaveLength(3)
  })
})
