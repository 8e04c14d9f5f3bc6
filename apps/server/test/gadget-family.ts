/** A family of targets that no release has: gadgets, opened by a protocol of this file's own. */
import { connect } from 'node:net'
import { defineResource, type ResourceDefinition } from '@sallyport/contract/define.ts'
import { BULK, CRUD } from '@sallyport/contract/operations.ts'
import { assetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { assetPermissionAssetRelation } from '@sallyport/contract/resources/perms/asset-permission-asset-relation.ts'
import { assetPermissionSystemUserRelation } from '@sallyport/contract/resources/perms/asset-permission-system-user-relation.ts'
import { assetPermissionUserGroupRelation } from '@sallyport/contract/resources/perms/asset-permission-user-group-relation.ts'
import { assetPermissionUserRelation } from '@sallyport/contract/resources/perms/asset-permission-user-relation.ts'
import type { Target } from '@sallyport/contract/target.ts'
import { and, eq, sql } from 'drizzle-orm'
import { boolean, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { addBoundTargets } from '../src/domains/assets/index.ts'
import { assetsSystemUser } from '../src/domains/assets/tables.ts'
import { addTargetKind } from '../src/domains/authentication/index.ts'
import { isGranted, loadGrants } from '../src/domains/perms/grants.ts'
import { addGrantFamily, type PermissionKind } from '../src/domains/perms/index.ts'
import { permissionFilters } from '../src/domains/perms/permission-filters.ts'
import { systemUsersOf, userGroupsOf, usersOf } from '../src/domains/perms/relations.ts'
import { pairColumns } from '../src/domains/perms/tables.ts'
import { addRequestKind } from '../src/domains/tickets/index.ts'
import { addConnector, type Connector } from '../src/gateway/connectors/index.ts'
import { addSessionFamily, type SessionFamily } from '../src/gateway/targets/session-families.ts'
import { id, orgId } from '../src/kernel/database/columns.ts'
import type { Kernel } from '../src/kernel/kernel.ts'

export const PERMISSIONS = '/api/v1/perms/gadget-permissions/'
export const OWNER = 'gadgetpermission'

export const testGadget = pgTable('test_gadget', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  is_open: boolean('is_open').notNull(),
  /** Of the machine that it runs on, for sessions. */
  port: integer('port'),
})
const gadgetPairs = pgTable('perms_permission_target', {
  ...pairColumns(),
  permission: uuid('permission').notNull(),
  application: uuid('application').notNull(),
})

export const gadget = defineResource({
  name: 'gadget',
  path: '/api/v1/test/gadgets/',
  label: 'Gadget',
  scope: 'org',
  operations: [...CRUD],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true },
    is_open: { type: 'boolean', label: 'Open', default: true },
  },
  search: ['name'],
  filters: ['name'],
  ordering: ['name'],
  defaultOrder: ['name'],
})

const { assets: _, nodes: __, ...shared } = assetPermission.fields
const fields = { ...shared, applications: { type: 'refs', label: 'Gadget', to: 'gadget' } } as const
const definition: PermissionKind['definition'] = {
  ...assetPermission,
  name: 'gadget_permission',
  path: PERMISSIONS,
  label: 'Gadget permission',
  operations: [...CRUD, ...BULK],
  fields,
  filters: [
    'name',
    { name: 'is_valid', match: 'custom', type: 'boolean', label: 'Is valid' },
    { name: 'user_id', match: 'custom', hidden: true },
  ],
}

/** The relation resource of assets, about gadgets: another path, other names of both ends. */
function relationOf(of: ResourceDefinition, field: string, to: string): ResourceDefinition {
  return {
    ...of,
    name: of.name.replace('asset_permission', 'gadget_permission'),
    path: of.path.replace('asset-permissions', 'gadget-permissions'),
    display: `{${OWNER}} {${field}}`,
    fields: {
      id: { type: 'integer', label: 'ID', readOnly: true },
      [field]: { type: 'ref', label: field, required: true, to },
      [OWNER]: { type: 'ref', label: 'Gadget permission', required: true, to: 'gadget_permission' },
    },
    filters: ['id', field, OWNER],
  }
}

export const gadgetPermissions: PermissionKind = {
  family: 'application',
  definition,
  owner: OWNER,
  relations: [
    usersOf(OWNER, relationOf(assetPermissionUserRelation, 'user', 'user')),
    userGroupsOf(OWNER, relationOf(assetPermissionUserGroupRelation, 'usergroup', 'user_group')),
    systemUsersOf(OWNER, relationOf(assetPermissionSystemUserRelation, 'systemuser', 'system_user')),
    {
      field: 'applications',
      name: 'application',
      definition: relationOf(assetPermissionAssetRelation, 'application', 'gadget'),
      pairs: {
        table: gadgetPairs,
        owner: gadgetPairs.permission,
        target: gadgetPairs.application,
        words: { from: sql`test_gadget`, text: sql`t.name` },
      },
      table: pgTable('perms_permission_target', {
        ...pairColumns(),
        [OWNER]: uuid('permission').notNull(),
        application: uuid('application').notNull(),
      }),
      target: sql`test_gadget`,
      display: sql`t.name`,
      names: [sql`t.name`],
      searched: [sql`t.name`],
      inOrg: (org) => sql`t.org_id = ${org}::uuid`,
    },
  ],
  filters: permissionFilters,
  covered: {
    path: 'applications/all/',
    summary: 'all gadgets that it covers',
    wire: ['application', 'application_display'],
    rowsOf: (permission) => sql`
      SELECT v.id, v.name, v.name AS text FROM test_gadget v JOIN perms_permission_target pt ON pt.application = v.id WHERE pt.permission = ${permission}::uuid`,
    searched: ['name'],
    order: 'name',
  },
  targetParameter: 'application_id',
  async afterAdding() {},
}

export async function createGadgetTable(kernel: Kernel): Promise<void> {
  await kernel.pool.query(
    `CREATE TABLE test_gadget (
      id uuid PRIMARY KEY DEFAULT uuidv7(), org_id uuid NOT NULL, name text NOT NULL, is_open boolean NOT NULL DEFAULT true, port int
    )`,
  )
  await kernel.pool.query(
    'ALTER TABLE assets_command_filter_application DROP CONSTRAINT assets_command_filter_application_application_id_fkey',
  )
  addBoundTargets('application', sql`test_gadget`)
  await kernel.pool.query("CALL perms_add_target_family('application', 'test_gadget')")
}

/** Everything that a family is to the server, before it starts. */
export function addGadgets(): void {
  addGrantFamily({
    family: 'application',
    targets: sql`test_gadget`,
    isActive: sql`t.is_open`,
    fits: sql`s.protocol = 'mysql'`,
    inNodes: false,
    permission: { resource: 'gadget_permission', label: 'Gadget permission' },
    reminder: {
      granted: { subject: 'Your access to gadgets ends soon', link: { text: 'My gadgets', path: '/ui/' } },
      administered: { subject: 'Gadget permissions end soon', link: { text: 'Gadget permissions', path: '/ui/' } },
    },
  })
  addRequestKind({
    type: 'apply_application',
    family: 'application',
    targets: { applications: { from: sql`test_gadget`, words: sql`t.name` } },
    nothingChosen: 'Choose gadgets',
    hasActions: false,
    also: {},
  })
  addTargetKind({
    family: 'application',
    async find(db, gadgetId) {
      const [found] = await db.select().from(testGadget).where(eq(testGadget.id, gadgetId))
      return (
        found && { family: 'application', id: found.id, name: found.name, orgId: found.org_id, isActive: found.is_open }
      )
    },
    wire: (target) => ({ application: target.id, application_name: target.name }),
    secrets: async () => undefined,
  })
  addSessionFamily(gadgetSessions)
  addConnector(gadgetProtocol)
}

const gadgetSessions: SessionFamily = {
  family: 'application',
  async load({ db }, { id: gadgetId, systemUserId }, open) {
    const [row] = await db
      .select({ gadget: testGadget, systemUser: assetsSystemUser })
      .from(testGadget)
      .innerJoin(assetsSystemUser, eq(assetsSystemUser.org_id, testGadget.org_id))
      .where(and(eq(testGadget.id, gadgetId), eq(assetsSystemUser.id, systemUserId)))
    if (!row) return undefined
    const { password_sealed, private_key_sealed, token_sealed, ...systemUser } = row.systemUser
    return {
      target: { family: 'application', id: gadgetId },
      orgId: row.gadget.org_id,
      name: row.gadget.name,
      address: '127.0.0.1',
      protocols: [`mysql/${row.gadget.port}`],
      charset: 'utf-8',
      systemUser,
      credentials: {
        username: systemUser.username,
        password: password_sealed ? open(password_sealed) : '',
        privateKey: '',
      },
      gateways: [],
    }
  },
  lists: {
    database: {
      columns: ['Name'],
      async find({ db }, { userId, limit }) {
        const grants = await loadGrants(db, { family: 'application', subject: { userId }, orgId: undefined })
        const rows = await db.select().from(testGadget).where(isGranted(grants, testGadget)).limit(limit)
        const targets = rows.map(({ id: gadgetId, name, is_open }) => ({
          target: { family: 'application', id: gadgetId } as Target,
          name,
          isActive: is_open,
          cells: [name],
          comment: '',
        }))
        return { total: targets.length, targets }
      },
    },
  },
}

/** A terminal that is spoken as bytes over TCP. */
const gadgetProtocol: Connector<'terminal'> = {
  protocol: 'mysql',
  kind: 'terminal',
  async open(_kernel, { host, port, target }) {
    const socket = connect(port, host).on('error', () => {})
    socket.write(`${target.credentials.username}:${target.credentials.password}\n`)
    return {
      start(onOutput, onEnd) {
        socket.on('data', (bytes: Buffer) => onOutput(bytes, 'stdout'))
        socket.once('close', () => onEnd({}))
      },
      write: (bytes) => void socket.write(bytes),
      pending: () => socket.writableLength,
      onceTaken: (then) => void socket.write('', () => then()),
      endInput: () => {},
      signal: () => {},
      resize: () => {},
      pause: () => void socket.pause(),
      resume: () => void socket.resume(),
      close: () => void socket.end(),
    }
  },
}
