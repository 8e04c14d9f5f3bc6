import type { Access } from '@sallyport/contract/access.ts'
import type { ApplicationType } from '@sallyport/contract/resources/applications/application-types.ts'
import { grantedApplication } from '@sallyport/contract/resources/perms/granted-application.ts'
import { and, asc, ilike, inArray, or, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { tableOf } from '../../../kernel/database/view.ts'
import { notFound } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { escapeLike, isUuid, listConditions } from '../../../kernel/resource/conditions.ts'
import { listRows } from '../../../kernel/resource/lists/list.ts'
import { TREE_ROWS } from '../../../kernel/resource/lists/tree-rows.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import { list } from '../../../kernel/resource/query.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import {
  applicationsListedApplication,
  branchesOf,
  branchWords,
  type StoredAttrs,
  shownAttrs,
  type TreeApplication,
} from '../../applications/index.ts'
import { type Grants, isGranted, loadGrants } from '../grants.ts'
import { usableSystemUsers } from '../may-connect.ts'
import { clusterLevel } from './cluster-tree.ts'
import { AUDIENCES, MINE, OF_USER, orgNameOfEach } from './granted-assets.ts'

/** More than one tree shows. */
const MAX_LEAVES = 10_000
/** A place inside a cluster, in characters. */
const MAX_PATH = 4096

/** The list of granted applications. */
const listing = (grants: Grants): MountedResource => ({
  definition: grantedApplication,
  mount: {
    table: tableOf(applicationsListedApplication),
    scope: () => isGranted(grants, applicationsListedApplication),
    filters: { type__in: (value) => inArray(applicationsListedApplication.type, typesIn(value)) },
    computed: [
      orgNameOfEach,
      {
        fields: ['attrs'],
        load: async (rows, { db }) =>
          (await shownAttrs(db, rows as unknown as StoredAttrs[])).map((attrs) => ({ attrs })),
      },
    ],
  },
})

const typesIn = (value: string) => list(value).slice(0, 20) as ApplicationType[]

/**
 * Granted applications: lists, trees and system users (docs/rules/perms.md#granted_application).
 */
export function registerGrantedApplications(kernel: Kernel): void {
  for (const { prefix, access, of, question } of AUDIENCES)
    kernel.app.route({
      method: 'GET',
      url: `${prefix}applications/`,
      config: { access, summary: `Granted applications: ${of}`, rows: grantedApplication, answers: 'rows or page' },
      handler: async (request, reply) => {
        const context = contextOf(kernel, request)
        const grants = await grantsOf(context, question)
        return listRows(listing(grants), context, request, reply)
      },
    })
  for (const audience of [MINE, OF_USER]) {
    registerTree(kernel, audience)
    registerSystemUsers(kernel, audience)
  }
}

type Question = (typeof AUDIENCES)[number]['question']
const grantsOf = async (context: ReadContext, question: Question): Promise<Grants> =>
  loadGrants(context.db, { family: 'application', ...(await question(context)) })

interface Audience {
  prefix: string
  access: readonly Access[]
  of: string
  question: Question
}

/**
 * Organizations, categories and types that are not empty, and their applications; with `tree_id` the
 * next level inside a cluster. Beyond the contract, `explain=1` answers why a cluster can't be read.
 */
function registerTree(kernel: Kernel, { prefix, access, of, question }: Audience): void {
  kernel.app.route({
    method: 'GET',
    url: `${prefix}applications/tree/`,
    config: { access, summary: `Granted applications: ${of}, as a tree`, rows: TREE_ROWS, answers: 'rows' },
    handler: async (request) => {
      const context = contextOf(kernel, request)
      const { tree_id, parentInfo = '', explain } = context.query
      if (tree_id)
        return clusterLevel(kernel, context.call, await question(context), {
          treeId: String(tree_id).slice(0, MAX_PATH),
          parentInfo: String(parentInfo).slice(0, MAX_PATH),
          isExplained: explain === '1',
        })
      const { language } = context.call
      const { where } = await listConditions(listing(await grantsOf(context, question)), context)
      const { id, name, category, type, org_id } = applicationsListedApplication
      const rows = await kernel.db
        .select({ id, name, category, type, org_id })
        .from(applicationsListedApplication)
        .where(where)
        .orderBy(asc(name), asc(id))
        .limit(MAX_LEAVES)
      const names = await kernel.orgNames()
      const words = branchWords(language, true)
      const byOrg = Map.groupBy(rows, (row) => row.org_id)
      const node = { title: '', parentInfo: '', isParent: true, open: true, iconSkin: '', nocheck: false }
      const orgs = [...byOrg].flatMap(([org, applications]) => {
        const key = `org_id=${org}`
        const text = `${names.get(org) ?? ''}(${applications.length})`
        return [
          { ...node, id: key, name: text, title: text, pId: 'applications', meta: { type: 'org' } },
          ...branchesOf(applications as TreeApplication[], {
            root: key,
            prefix: `${key}&`,
            keepEmpty: false,
            opensClusters: true,
            words,
          }),
        ]
      })
      const root = translate(language, 'My applications')
      return [{ ...node, id: 'applications', name: root, title: root, pId: '', meta: { type: 'root' } }, ...orgs]
    },
  })
}

const SYSTEM_USERS = {
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name' },
    username: { type: 'string', label: 'Username' },
    priority: { type: 'integer', label: 'Priority' },
    protocol: { type: 'string', label: 'Protocol' },
    login_mode: { type: 'string', label: 'Sign-in method' },
  },
} as const

/** The system users that somebody may use on an application, by priority. */
function registerSystemUsers(kernel: Kernel, { prefix, access, of, question }: Audience): void {
  kernel.app.route<{ Params: { application_id: string } }>({
    method: 'GET',
    url: `${prefix}applications/:application_id/system-users/`,
    config: { access, summary: `Granted system users: ${of}, on an application`, answers: 'rows', rows: SYSTEM_USERS },
    handler: async (request) => {
      const asked = await question(contextOf(kernel, request))
      const target = { family: 'application', id: request.params.application_id } as const
      const usable = await usableSystemUsers(kernel.db, asked, target)
      if (!usable) throw notFound()
      return usable
        .map(({ id, name, username, priority, protocol, login_mode }) => ({
          id,
          name,
          username,
          priority,
          protocol,
          login_mode,
        }))
        .sort((one, other) => one.priority - other.priority)
    },
  })
}

export interface GrantedApplicationsQuestion {
  userId: string
  types: readonly ApplicationType[]
  /** Each must occur in name, host or comment. */
  words?: readonly string[]
  /** Only the application with this name (in any case) or id. */
  named?: string
  limit: number
  offset?: number
}

/** An application as lists without a console show it. */
export interface ListedApplication {
  id: string
  name: string
  type: ApplicationType
  attrs: Record<string, unknown>
  comment: string
}

const MAX_WORDS = 20

/** A page of the applications of these types that a person was granted in any organization, and their number. */
export async function findGrantedApplications(
  db: Database,
  { userId, types, words = [], named, limit, offset = 0 }: GrantedApplicationsQuestion,
): Promise<{ total: number; applications: ListedApplication[] }> {
  if (!types.length) return { total: 0, applications: [] }
  const grants = await loadGrants(db, { family: 'application', subject: { userId }, orgId: undefined })
  const { id, name, type, attrs, comment } = applicationsListedApplication
  const where = and(
    isGranted(grants, applicationsListedApplication),
    inArray(type, [...types]),
    ...words.slice(0, MAX_WORDS).map((word) => {
      const pattern = `%${escapeLike(word.replaceAll('\0', ''))}%`
      return or(ilike(name, pattern), ilike(comment, pattern), ilike(sql`${attrs}->>'host'`, pattern))
    }),
    named === undefined
      ? undefined
      : or(ilike(name, escapeLike(named.replaceAll('\0', ''))), isUuid(named) ? sql`${id} = ${named}` : undefined),
  )
  const applications = await db
    .select({ id, name, type, attrs, comment })
    .from(applicationsListedApplication)
    .where(where)
    .orderBy(asc(name), asc(id))
    .limit(limit)
    .offset(offset)
  if (!offset && applications.length < limit) return { total: applications.length, applications }
  return { total: await db.$count(applicationsListedApplication, where), applications }
}
