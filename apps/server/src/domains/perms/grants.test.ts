import { sql } from 'drizzle-orm'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { type Company, makeCompany, storeCompany } from '../../../test/random-company.ts'
import { type Database, openDatabase } from '../../kernel/database/database.ts'
import { assetsAsset } from '../assets/tables.ts'
import { grantFamily } from './families.ts'
import { findGrantedAssets } from './granted/granted-listing.ts'
import { VisibleTree } from './granted/visible-nodes.ts'
import { isGranted, loadGrants } from './grants.ts'
import { connectableAssets, mayConnect, mayConnectEach, usableSystemUsers } from './may-connect.ts'
import { pathsAmong, theseIds } from './reach/paths.ts'
import { isWithinReach, peopleOf, peopleReaching } from './reach/reaching.ts'
import { permissionsByPerson, waysOf } from './reach/ways-of.ts'
import { permsTarget } from './views.ts'

let database: TestDatabase
let pool: pg.Pool
let db: Database

beforeAll(async () => {
  database = await createTestDatabase()
  // As the product asks: each question is planned a few times, not thousands.
  ;({ db, pool } = openDatabase({ ...database.connection, max: 4 }))
})
afterAll(async () => {
  await pool?.end()
  await database?.drop()
})

const SEEDS = Array.from({ length: 25 }, (_, index) => index + 1)

/** The same questions, answered by walking the lists one by one. */
function naive(company: Company, userId: string, orgId?: string) {
  const member = (org: string) => company.members.some((one) => one.user === userId && one.org === org)
  const groups = company.groups.filter((group) => group.users.includes(userId)).map(({ id }) => id)
  const permissions = company.permissions.filter(
    (one) =>
      one.valid &&
      member(one.org) &&
      (!orgId || one.org === orgId) &&
      (one.users.includes(userId) || one.groups.some((id) => groups.includes(id))),
  )
  const covers = (one: (typeof permissions)[number], asset: Company['assets'][number]) =>
    one.assets.includes(asset.id) ||
    asset.nodes.some((key) =>
      one.nodes.some((id) => {
        const granted = company.nodes.find((node) => node.id === id)?.key ?? ''
        return key === granted || key.startsWith(`${granted}:`)
      }),
    )
  return {
    permissions,
    covers,
    assets: company.assets.filter((asset) => permissions.some((one) => covers(one, asset))),
    mask(assetId: string, systemUserId: string) {
      const asset = company.assets.find(({ id }) => id === assetId)
      const systemUser = company.systemUsers.find(({ id }) => id === systemUserId)
      if (
        !asset?.active ||
        !systemUser ||
        systemUser.org !== asset.org ||
        !asset.protocols.includes(systemUser.protocol)
      )
        return 0
      return permissions
        .filter((one) => one.systemUsers.includes(systemUserId) && covers(one, asset))
        .reduce((mask, one) => mask | one.actions, 0)
    },
  }
}

test.each(SEEDS)(
  '[A2.32 A2.63] granted assets, counts, system users and may-connect agree with a walk through the lists (company %i)',
  async (seed) => {
    const company = makeCompany(seed)
    await storeCompany(pool, company)
    let granted = 0
    for (const { id: userId } of company.users) {
      for (const orgId of [undefined, company.orgs[0]]) {
        const model = naive(company, userId, orgId)
        const question = { family: 'asset' as const, subject: { userId }, orgId }
        const grants = await loadGrants(db, question)
        const expected = model.assets.map(({ id }) => id).sort()
        // Gathered and tested one by one: the two forms that the number of nodes chooses between.
        for (const testEachFrom of [1_000, 1]) {
          const found = await db
            .select({ id: assetsAsset.id })
            .from(assetsAsset)
            .where(isGranted(grants, assetsAsset, testEachFrom))
          expect(found.map(({ id }) => id).sort()).toEqual(expected)
        }
        granted += expected.length
        if (orgId) continue
        await compareConnections(company, userId, model)
        await compareTree(company, model, await VisibleTree.open(db, grants, { ungrouped: false }))
        await compareTotals(company, userId, model)
        await compareWays(company, userId, model)
      }
    }
    expect(granted, 'a company in which somebody may do something').toBeGreaterThan(0)
  },
)

/** Each question is planned again, which takes most of the time: several at a time. */
async function compareConnections(company: Company, userId: string, model: ReturnType<typeof naive>) {
  await Promise.all([
    ...company.assets.map((asset) => compareConnectionsTo(asset, company, userId, model)),
    ...company.systemUsers.slice(0, 3).map(({ id }) => compareConnectable(id, company, userId, model)),
    compareEach(company, userId, model),
  ])
}

/** The same question for all machines at once, as batch commands ask it. */
async function compareConnectable(
  systemUserId: string,
  company: Company,
  userId: string,
  model: ReturnType<typeof naive>,
) {
  const assetIds = company.assets.map(({ id }) => id)
  const found = await connectableAssets(db, { userId, systemUserId, assetIds })
  expect(found.sort()).toEqual(assetIds.filter((id) => model.mask(id, systemUserId) & 1).sort())
}

/** The same questions in one statement, as a node asks for all of its sessions; some ask the same. */
async function compareEach(company: Company, userId: string, model: ReturnType<typeof naive>) {
  const questions = company.assets.flatMap(({ id }) =>
    company.systemUsers.slice(0, 3).map((user) => ({
      userId,
      target: { family: 'asset' as const, id },
      systemUserId: user.id,
    })),
  )
  const answers = await mayConnectEach(db, [...questions, ...questions, { ...questions[0]!, userId: 'nobody' }])
  const masks = questions.map(({ target, systemUserId }) => model.mask(target.id, systemUserId))
  const expected = [...masks, ...masks, 0].map((mask) => ({ mask, allowed: (mask & 1) === 1 }))
  expect(answers.map(({ mask, allowed }) => ({ mask, allowed }))).toEqual(expected)
}

async function compareConnectionsTo(
  asset: Company['assets'][number],
  company: Company,
  userId: string,
  model: ReturnType<typeof naive>,
) {
  const target = { family: 'asset' as const, id: asset.id }
  const asked = company.systemUsers.slice(0, 3).map(({ id }) => id)
  const [usable, ...answers] = await Promise.all([
    usableSystemUsers(db, { subject: { userId }, orgId: undefined }, target),
    ...asked.map((systemUserId) => mayConnect(db, { userId, target, systemUserId })),
  ])
  const reached = asset.active && model.assets.includes(asset)
  expect(usable === undefined, 'hidden exactly when nothing reaches an active asset').toBe(!reached)
  const expected = company.systemUsers
    .map(({ id }) => ({ id, mask: reached ? model.mask(asset.id, id) : 0 }))
    .filter(({ mask }) => mask > 0)
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
  expect(
    (usable ?? [])
      .filter(({ mask }) => mask > 0)
      .map(({ id, mask }) => ({ id, mask }))
      .sort(byId),
  ).toEqual(expected.sort(byId))
  for (const [index, systemUserId] of asked.entries()) {
    const mask = model.mask(asset.id, systemUserId)
    expect(answers[index]).toMatchObject({ mask, allowed: (mask & 1) === 1 })
  }
}

async function compareTree(company: Company, model: ReturnType<typeof naive>, tree: VisibleTree) {
  const grantedKeys = model.permissions.flatMap((one) =>
    one.nodes.map((id) => company.nodes.find((node) => node.id === id)?.key ?? ''),
  )
  const direct = new Set(model.permissions.flatMap((one) => one.assets))
  const covered = (key: string) => grantedKeys.some((granted) => key === granted || key.startsWith(`${granted}:`))
  // A link shows an asset in a node: because the node is covered, or the asset was named.
  const links = company.assets.flatMap((asset) =>
    asset.nodes.filter((key) => covered(key) || direct.has(asset.id)).map((key) => ({ key, asset: asset.id })),
  )
  const shown = company.nodes.filter(
    ({ key }) =>
      covered(key) ||
      [...grantedKeys, ...links.map((link) => link.key)].some((below) => below === key || below.startsWith(`${key}:`)),
  )
  const nodes = await tree.all()
  expect(nodes.map(({ key }) => key).sort()).toEqual(shown.map(({ key }) => key).sort())
  const amounts = await tree.amounts(nodes)
  for (const node of nodes) {
    const inside = new Set(
      links.filter(({ key }) => key === node.key || key.startsWith(`${node.key}:`)).map(({ asset }) => asset),
    )
    expect([node.key, amounts.get(node.id)]).toEqual([node.key, inside.size])
    expect((await tree.children(node.key)).map(({ key }) => key).sort()).toEqual(
      shown
        .filter(({ key }) => key.slice(0, key.lastIndexOf(':')) === node.key && key.includes(':'))
        .map(({ key }) => key)
        .sort(),
    )
  }
  const leaves = await tree.assetsIn(nodes)
  expect(leaves.map(({ id, node_key }) => `${node_key} ${id}`).sort()).toEqual(
    links.map(({ key, asset }) => `${key} ${asset}`).sort(),
  )
}

/** The total of a page of one row, over all organizations and at the root of each. */
async function compareTotals(company: Company, userId: string, model: ReturnType<typeof naive>) {
  const total = async (nodeId?: string) =>
    (await findGrantedAssets(db, { userId, sort: 'hostname', limit: 1, ...(nodeId && { nodeId }) })).total
  expect(await total()).toBe(model.assets.length)
  for (const { id, key } of company.nodes.filter((node) => !node.key.includes(':'))) {
    const below = (node: string) => node === key || node.startsWith(`${key}:`)
    expect([key, await total(id)]).toEqual([key, model.assets.filter(({ nodes }) => nodes.some(below)).length])
  }
}

/** Everything that a person reaches, in one query. */
async function compareWays(company: Company, userId: string, model: ReturnType<typeof naive>) {
  const { rows } = await db.execute<{ target: string; account: string; mask: number }>(
    sql`SELECT target, account, bit_or(actions) AS mask FROM (${waysOf(userId)}) way GROUP BY 1, 2`,
  )
  const expected = company.assets.flatMap((asset) =>
    company.systemUsers.map(({ id }) => `${asset.id} ${id} ${model.mask(asset.id, id)}`),
  )
  expect(new Set(rows.filter(({ mask }) => mask).map((row) => `${row.target} ${row.account} ${row.mask}`))).toEqual(
    new Set(expected.filter((one) => !one.endsWith(' 0'))),
  )
  const by = await db.execute<{ permissions: string[] }>(permissionsByPerson(theseIds([userId])))
  expect([...(by.rows[0]?.permissions ?? [])].sort()).toEqual(model.permissions.map(({ id }) => id).sort())
}

test.each([101, 102, 103, 104, 105, 106, 107, 108])(
  'everybody who reaches an asset, everything that somebody reaches, and every path between them agree with may-connect (company %i)',
  async (seed) => {
    const company = makeCompany(seed)
    // Half of them have a whole organization.
    const [first] = company.permissions.filter(({ valid, actions }) => valid && actions & 1)
    const [root] = company.nodes.filter(({ org }) => org === first?.org)
    if (first && root && seed % 2) first.nodes = [root.id]
    await storeCompany(pool, company)
    const fact = new Set<string>()
    for (const { id: userId } of company.users) {
      const model = naive(company, userId)
      for (const asset of company.assets)
        for (const { id } of company.systemUsers)
          if (model.mask(asset.id, id) & 1) fact.add(`${userId} ${asset.id} ${id}`)
    }
    const family = grantFamily('asset')
    if (!family) throw new Error('no assets')
    const ids = (list: readonly { id: string }[]) => theseIds(list.map(({ id }) => id))
    const among = { users: ids(company.users), targets: ids(company.assets) }
    const { rows: paths } = await db.execute<Record<string, string | null>>(pathsAmong(family, among))
    expect(new Set(paths.map(({ user_id, target_id, account }) => `${user_id} ${target_id} ${account}`))).toEqual(fact)
    for (const { user_id, group_id, permission, node_id, target_id } of paths) {
      const one = company.permissions.find(({ id }) => id === permission)
      const group = company.groups.find(({ id }) => id === group_id)
      expect(
        group
          ? one?.groups.includes(group.id) && group.users.includes(user_id ?? '')
          : one?.users.includes(user_id ?? ''),
      ).toBe(true)
      expect(node_id ? one?.nodes.includes(node_id) : one?.assets.includes(target_id ?? '')).toBe(true)
    }
    const pairs = [...fact].map((one) => one.split(' ').slice(0, 2))
    const reaching = (assetId: string) =>
      [...new Set(pairs.filter(([, id]) => id === assetId).map(([id]) => id))].sort()
    for (const { id } of company.assets) {
      const { rows } = await db.execute<{ id: string }>(peopleReaching({ family: 'asset', id }, undefined))
      expect([...new Set(rows.map((row) => row.id))].sort()).toEqual(reaching(id))
      const foreign = await db.execute(peopleReaching({ family: 'asset', id }, '00000000-0000-0000-0000-000000000002'))
      expect(foreign.rows).toEqual([])
    }
    for (const { id: userId } of company.users)
      for (const orgId of [undefined, company.orgs[0]]) {
        const rows = await db
          .select({ id: permsTarget.id })
          .from(permsTarget)
          .where(await isWithinReach(db, { subject: { userId }, orgId }))
        const reached = company.assets.filter(
          ({ id, org }) => reaching(id).includes(userId) && (!orgId || org === orgId),
        )
        expect(rows.map(({ id }) => id).sort()).toEqual(reached.map(({ id }) => id).sort())
      }
    for (const { id: permissionId } of company.permissions) {
      const by = await db.execute<Record<string, string>>(pathsAmong(family, { ...among, permission: permissionId }))
      const people = (await db.execute<{ id: string }>(peopleOf(permissionId, undefined))).rows.map(({ id }) => id)
      // Nobody and nothing is missing; a permission without people leads somewhere all the same.
      expect(people).toEqual(expect.arrayContaining([...new Set(by.rows.map(({ user_id }) => user_id))]))
      const rows = await db
        .select({ id: permsTarget.id })
        .from(permsTarget)
        .where(await isWithinReach(db, { subject: { permissionId }, orgId: undefined }))
      const to = await db.execute<Record<string, string>>(
        pathsAmong(family, { targets: among.targets, permission: permissionId }),
      )
      expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(to.rows.map(({ target_id }) => target_id)))
    }
  },
)
