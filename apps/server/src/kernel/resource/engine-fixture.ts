/** A resource for the engine's own tests, on a real database: the kernel knows no domain. */

import type { OrgRole, SystemRole } from '@sallyport/contract/access.ts'
import { DEFAULT_ORG_ID, ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { type Draft, defineResource, type Row } from '@sallyport/contract/define.ts'
import { BULK, CRUD, FILES } from '@sallyport/contract/operations.ts'
import { gt } from 'drizzle-orm'
import { bigint, boolean, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createTestDatabase } from '../../../test/database.ts'
import type { Call } from '../access/call.ts'
import { installAccessGuard } from '../access/guard.ts'
import type { Operation as AuditOperation } from '../audit/audit.ts'
import { createdBy, dateCreated, dateTime, id, orgId, sealed } from '../database/columns.ts'
import { openDatabase } from '../database/database.ts'
import { invalid } from '../errors/app-error.ts'
import { registerApiDocument } from '../http/api-document/index.ts'
import { registerClock } from '../http/clock.ts'
import { createApp } from '../http/create-app.ts'
import type { Kernel } from '../kernel.ts'
import { KeyRing } from '../secrets/key-ring.ts'
import { secretKey } from '../secrets/secret-key.ts'
import { createVault } from '../secrets/vault.ts'
import { registerDeletion } from './deletion.ts'
import { mountResource } from './routes.ts'
import { registerSelection } from './selection.ts'

export const OTHER_ORG_ID = '11111111-1111-4111-8111-111111111111'

const EVERYTHING = [...CRUD, ...BULK, ...FILES, 'suggestions'] as const

const shelf = defineResource({
  name: 'shelf',
  path: '/api/v1/test/shelves/',
  label: 'Shelf',
  scope: 'org',
  operations: EVERYTHING,
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true, maxLength: 16, unique: 'org' },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: ['name'],
  filters: ['name'],
  ordering: ['name'],
  defaultOrder: ['name'],
})

const book = defineResource({
  name: 'book',
  path: '/api/v1/test/books/',
  label: 'Book',
  scope: 'org',
  operations: EVERYTHING,
  permission: { list: ['org_admin', 'org_auditor'], write: ['org_admin'] },
  display: '{title}({pages})',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    title: { type: 'string', label: 'Title', required: true, maxLength: 64, unique: 'org' },
    pages: { type: 'integer', label: 'Pages', min: 1, max: 9999, default: 100 },
    kind: { type: 'choice', label: 'Kind', choices: { novel: 'Novel', atlas: 'Atlas' }, default: 'novel' },
    kind_display: { type: 'string', label: 'Kind display', readOnly: true },
    is_active: { type: 'boolean', label: 'Active', default: true },
    tags: { type: 'strings', label: 'Tags', default: [] },
    printed: { type: 'datetime', label: 'Printed', nullable: true },
    key: { type: 'string', label: 'Key', writeOnly: true, maxLength: 64 },
    shelf: { type: 'ref', label: 'Shelf', to: 'shelf', nullable: true },
    shelf_display: { type: 'string', label: 'Shelf display', named: true, readOnly: true },
    shelves: { type: 'refs', label: 'Shelves', to: 'shelf' },
    shelves_display: { type: 'strings', label: 'Shelves display', readOnly: true },
    shelves_amount: { type: 'integer', label: 'Shelves amount', readOnly: true },
    comment: { type: 'text', label: 'Comment', default: '' },
    created_by: { type: 'string', label: 'Created by', readOnly: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  mini: ['id', 'title'],
  search: ['title', 'comment'],
  filters: [
    'title',
    'kind',
    'is_active',
    'shelves',
    { name: 'longer_than', match: 'custom', label: 'Longer than', type: 'string' },
  ],
  ordering: ['title', 'pages'],
  defaultOrder: ['title'],
})

/** An object whose type decides its shape, with secrets inside. */
const store = defineResource({
  name: 'store',
  path: '/api/v1/test/stores/',
  label: 'Store',
  scope: 'org',
  operations: EVERYTHING,
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true, maxLength: 64, unique: 'org' },
    type: {
      type: 'choice',
      label: 'Type',
      required: true,
      choices: { folder: 'Folder', bucket: 'Bucket', none: 'None' },
    },
    meta: {
      type: 'object',
      label: 'Meta',
      required: true,
      shapeBy: 'type',
      shapes: {
        folder: {
          path: { type: 'string', label: 'Path', required: true, maxLength: 32 },
          quota: { type: 'integer', label: 'Quota', min: 1, default: 10 },
          shelf: { type: 'ref', label: 'Shelf', to: 'shelf', nullable: true },
        },
        bucket: {
          endpoint: { type: 'url', label: 'Endpoint', required: true },
          scheme: { type: 'choice', label: 'Scheme', choices: { http: 'http', https: 'https' }, default: 'https' },
          access_key: { type: 'string', label: 'Access key', nullable: true, writeOnly: true },
          secret_key: { type: 'string', label: 'Secret key', required: true, writeOnly: true, maxLength: 32 },
        },
      },
    },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
  },
  search: ['name'],
  filters: ['name', 'type'],
  ordering: ['name'],
  defaultOrder: ['name'],
})
export type Store = Row<typeof store>
export type StoreDraft = Draft<typeof store>

const testStore = pgTable('test_store', {
  id: id(),
  name: text('name').notNull(),
  type: text('type').notNull(),
  meta: jsonb('meta').$type<Record<string, unknown>>().notNull(),
  org_id: orgId(),
})
const testShelf = pgTable('test_shelf', { id: id(), name: text('name').notNull(), org_id: orgId() })
const testBook = pgTable('test_book', {
  id: id(),
  title: text('title').notNull(),
  pages: integer('pages').notNull(),
  kind: text('kind').notNull(),
  is_active: boolean('is_active').notNull(),
  tags: text('tags').array().notNull(),
  printed: dateTime('printed'),
  key_sealed: sealed('key_sealed'),
  shelf: uuid('shelf'),
  comment: text('comment').notNull(),
  created_by: createdBy(),
  date_created: dateCreated(),
  org_id: orgId(),
})
const testBookShelf = pgTable('test_book_shelf', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  book: uuid('book').notNull(),
  shelf: uuid('shelf').notNull(),
})

const SQL = `
  CREATE TABLE test_shelf (id uuid PRIMARY KEY DEFAULT uuidv7(), name text NOT NULL, org_id uuid NOT NULL);
  CREATE UNIQUE INDEX test_shelf__org_id__name__unique ON test_shelf (org_id, name);
  CREATE TABLE test_book (id uuid PRIMARY KEY DEFAULT uuidv7(), title text NOT NULL, pages int NOT NULL, kind text NOT NULL, is_active bool NOT NULL, tags text[] NOT NULL,
    printed timestamptz, key_sealed bytea, shelf uuid REFERENCES test_shelf, comment text NOT NULL, created_by text, date_created timestamptz NOT NULL DEFAULT now(), org_id uuid NOT NULL);
  CREATE UNIQUE INDEX test_book__org_id__title__unique ON test_book (org_id, title);
  CREATE TABLE test_store (id uuid PRIMARY KEY DEFAULT uuidv7(), name text NOT NULL, type text NOT NULL, meta jsonb NOT NULL, org_id uuid NOT NULL);
  CREATE UNIQUE INDEX test_store__org_id__name__unique ON test_store (org_id, name);
  CREATE TABLE test_book_shelf (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, book uuid NOT NULL REFERENCES test_book ON DELETE CASCADE, shelf uuid NOT NULL REFERENCES test_shelf ON DELETE CASCADE, UNIQUE (book, shelf));
`

/** Headers that state who calls; the fixture's provider trusts them. */
export function as(
  role: SystemRole,
  { orgRoles = [], org = DEFAULT_ORG_ID }: { orgRoles?: OrgRole[]; org?: string } = {},
) {
  return {
    'x-test-role': role,
    'x-test-org-roles': orgRoles.join(','),
    'x-jms-org': org,
    'x-tz': 'Asia/Shanghai',
    cookie: 'django_language=en',
  }
}

export const admin = as('User', { orgRoles: ['Admin'] })

export async function openEngineFixture() {
  const database = await createTestDatabase()
  const { db, pool, close } = openDatabase(database.connection)
  await pool.query(SQL)
  const app = await createApp({
    logLevel: 'silent',
    trustedProxies: [],
    uploadLimit: () => 1024 * 1024,
    language: 'en',
  })
  const operations: AuditOperation[] = []
  const kernel = {
    app,
    db,
    pool,
    secrets: createVault(new KeyRing([secretKey(Buffer.alloc(32, 7))])),
    audit: {
      record: async (_db: unknown, _call: unknown, written: readonly AuditOperation[]) =>
        void operations.push(...written),
    },
    jobs: { schedule: () => {} },
    callerNow: async (call: Call) => call,
    signIns: { behind: () => undefined, lapsed: async () => [] },
    orgNames: async () =>
      new Map([
        [DEFAULT_ORG_ID, 'Default'],
        [OTHER_ORG_ID, 'Other'],
        [ROOT_ORG_ID, 'GLOBAL'],
      ]),
  } as unknown as Kernel
  kernel.routes = installAccessGuard(app, {
    async identify(request, wantedOrg) {
      const role = request.headers['x-test-role'] as SystemRole | undefined
      const orgRoles = String(request.headers['x-test-org-roles'] ?? '')
        .split(',')
        .filter(Boolean) as OrgRole[]
      const user = role
        ? {
            id: '22222222-2222-4222-8222-222222222222',
            name: 'A rather long name of more than thirty',
            username: 'ann',
            role,
          }
        : undefined
      return {
        user,
        via: user && 'bearer',
        sessionId: undefined,
        org: { id: wantedOrg ?? DEFAULT_ORG_ID, name: 'Default' },
        orgRoles,
      }
    },
    isLicensed: () => true,
    hasBootstrapToken: () => false,
  })
  registerSelection(kernel)
  registerDeletion(kernel)
  registerClock(kernel)
  registerApiDocument(kernel)
  mountResource(kernel, shelf, { table: testShelf })
  mountResource(kernel, store, { table: testStore })
  mountResource(kernel, book, {
    table: testBook,
    relations: { shelves: { table: testBookShelf, owner: testBookShelf.book, target: testBookShelf.shelf } },
    sealed: ['key'],
    filters: {
      longer_than: (value) => (Number.isInteger(Number(value)) ? gt(testBook.pages, Number(value)) : undefined),
    },
    rules: {
      beforeWrite: [
        ({ draft }) => {
          if (draft.title === 'forbidden') throw invalid({ title: 'Not this one.' })
        },
      ],
    },
  })
  return {
    app,
    kernel,
    operations,
    pool,
    close: async () => {
      await app.close()
      await close()
      await database.drop()
    },
  }
}
