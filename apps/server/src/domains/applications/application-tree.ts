import { application } from '@sallyport/contract/resources/applications/application.ts'
import {
  APPLICATION_CATEGORIES,
  APPLICATION_TYPES,
  type ApplicationCategory,
  type ApplicationType,
  typesOf,
} from '@sallyport/contract/resources/applications/application-types.ts'
import { sql } from 'drizzle-orm'
import { refused } from '../../kernel/errors/app-error.ts'
import { type Language, translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { listConditions } from '../../kernel/resource/conditions.ts'
import { TREE_ROWS } from '../../kernel/resource/lists/tree-rows.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { applicationsApplication } from './tables.ts'

/** More than a tree can show; larger installations narrow it by filters. */
const MAX_LEAVES = 10_000

/** An application in a tree. */
export interface TreeApplication {
  id: string
  name: string
  category: ApplicationCategory
  type: ApplicationType
}

const ICONS: Readonly<Record<ApplicationCategory, string>> = { db: 'database', remote_app: 'chrome', cloud: 'cloud' }
const CATEGORIES = Object.keys(APPLICATION_CATEGORIES) as ApplicationCategory[]

type Item = Record<string, unknown>
const item = (id: string, name: string, pId: string, more: Item): Item => ({
  id,
  name,
  title: name,
  pId,
  parentInfo: '',
  isParent: true,
  open: false,
  iconSkin: '',
  nocheck: false,
  ...more,
})

/** How the tree writes a number of applications. */
type Words = (label: string, amount: number) => string

interface BranchOptions {
  root: string
  prefix: string
  keepEmpty: boolean
  /** Clusters are folders, whose levels are asked for one by one (docs/rules/perms.md#tree_k8s). */
  opensClusters?: boolean
  words: Words
}

/**
 * Categories and their types below a node, each with the number of its applications, and the
 * applications themselves (docs/rules/applications.md#tree_shapes).
 */
export function branchesOf(
  applications: readonly TreeApplication[],
  { root, prefix, keepEmpty, opensClusters = false, words }: BranchOptions,
): Item[] {
  const amounts = new Map<string, number>()
  for (const { category, type } of applications)
    for (const key of [category, type]) amounts.set(key, (amounts.get(key) ?? 0) + 1)
  const amount = (key: string) => amounts.get(key) ?? 0
  const shown = (key: string) => keepEmpty || amount(key) > 0
  const categoryId = (category: string) => `${prefix}category=${category}`
  const typeId = (type: ApplicationType) => `${categoryId(APPLICATION_TYPES[type].category)}&type=${type}`
  const categories = CATEGORIES.filter(shown).map((category) =>
    item(categoryId(category), words(APPLICATION_CATEGORIES[category], amount(category)), root, {
      isParent: amount(category) > 0,
      meta: { type: 'category', data: { name: category, value: category } },
    }),
  )
  const types = CATEGORIES.flatMap(typesOf)
    .filter(shown)
    .map((type) =>
      item(
        typeId(type),
        words(APPLICATION_TYPES[type].label, amount(type)),
        categoryId(APPLICATION_TYPES[type].category),
        {
          isParent: amount(type) > 0,
          meta: { type: 'type', data: { name: type === 'postgresql' ? 'pgsql' : type, value: type } },
        },
      ),
    )
  const leaves = applications.map(({ id, name, category, type }) => {
    const isOpened = opensClusters && type === 'k8s'
    return item(id, name, typeId(type), {
      isParent: isOpened,
      iconSkin: ICONS[category],
      ...(isOpened ? { parentInfo: `app_id=${id}` } : {}),
      meta: { type: 'application', data: { category, type, ...(isOpened ? { identity: 'k8s' } : {}) } },
    })
  })
  return [...categories, ...types, ...leaves]
}

/** Names of branches in a language, with numbers where they are wanted. */
export const branchWords =
  (language: Language, showsAmounts: boolean): Words =>
  (label, amount) =>
    showsAmounts ? `${translate(language, label)} (${amount})` : translate(language, label)

/** `tree/`: the organization's applications under their categories and types. */
export function registerApplicationTree(kernel: Kernel, applications: MountedResource): void {
  kernel.app.route({
    method: 'GET',
    url: `${application.path}tree/`,
    config: {
      access: application.permission.list,
      summary: 'Application: tree by category and type',
      rows: TREE_ROWS,
      answers: 'rows',
    },
    handler: async (request) => {
      const context = contextOf(kernel, request)
      const { where } = await listConditions(applications, context)
      const filtered = where ? sql`WHERE ${where}` : sql``
      const { rows } = await kernel.db.execute<TreeApplication & Item>(
        sql`SELECT id, name, category, type FROM ${applicationsApplication} ${filtered} ORDER BY name, id LIMIT ${MAX_LEAVES + 1}`,
      )
      if (rows.length > MAX_LEAVES)
        throw refused('too_large', 'Too many applications for one tree: narrow it by filters.')
      const words = branchWords(context.call.language, context.query.show_count !== '0')
      const root = item('applications', words('Applications', rows.length), '', {
        open: true,
        meta: { type: 'applications_root' },
      })
      return [root, ...branchesOf(rows, { root: 'applications', prefix: '', keepEmpty: true, words })]
    },
  })
}
