import { LIST_VIEWS_MAX } from '@sallyport/contract/constants.ts'
import { LIST_VIEW_LENGTH_MAX, listView, OWN_LIST_VIEWS_MAX } from '@sallyport/contract/resources/users/list-view.ts'
import { and, eq, ne, sql } from 'drizzle-orm'
import { boolean, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { callerOf } from '../../kernel/access/call.ts'
import { id } from '../../kernel/database/columns.ts'
import { lockUntilCommit } from '../../kernel/database/locks.ts'
import { invalid, refused } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { WriteContext } from '../../kernel/resource/mount.ts'
import { mountResource } from '../../kernel/resource/routes.ts'

export const usersListView = pgTable('users_list_view', {
  id: id(),
  user_id: uuid('user_id').notNull(),
  list: text('list').notNull(),
  name: text('name').notNull(),
  is_default: boolean('is_default').notNull().default(false),
  search: text('search').array().notNull().default([]),
  filters: jsonb('filters').notNull().default({}),
  order: text('order').notNull().default(''),
  columns: text('columns').array().notNull().default([]),
  density: text('density').notNull().default('comfortable'),
})

type Writing = WriteContext<typeof listView, typeof usersListView>

export default function mountListView(kernel: Kernel): void {
  mountResource(kernel, listView, {
    table: usersListView,
    owner: usersListView.user_id,
    rules: { beforeWrite: [isBounded, notTooMany, oneDefault] },
    // Which columns a person likes is nobody's evidence.
    unaudited: true,
  })
}

/** A view is small, and its filters are texts as in an address. Throws 400. */
function isBounded({ call, draft }: Writing): void {
  const { search, filters, columns } = draft
  if (filters && Object.values(filters).some((value) => typeof value !== 'string'))
    throw invalid({ filters: 'Not a valid string.' })
  if (JSON.stringify({ search, filters, columns }).length > LIST_VIEW_LENGTH_MAX)
    throw invalid({
      filters: translate(call.language, 'Ensure this field has no more than {{max|character|characters}}.', {
        max: LIST_VIEW_LENGTH_MAX,
      }),
    })
}

/** Those of two requests at once count as well. Throws 400. */
async function notTooMany({ call, db, draft, row }: Writing): Promise<void> {
  const { id: user } = callerOf(call)
  await lockUntilCommit(db, `users.list_views.${user}`)
  const list = draft.list ?? row?.list ?? ''
  if (row?.list === list) return
  const own = eq(usersListView.user_id, user)
  const [ofList, ofPerson] = await Promise.all([
    db.$count(usersListView, and(own, eq(usersListView.list, list))),
    db.$count(usersListView, own),
  ])
  if (ofList >= LIST_VIEWS_MAX || (!row && ofPerson >= OWN_LIST_VIEWS_MAX))
    throw refused('bad_request', 'You have saved as many views as you may: delete one first.')
}

/** The view that is shown first takes that from the one before, under the lock of the person. */
async function oneDefault({ call, db, draft, row }: Writing): Promise<void> {
  if (!(draft.is_default ?? row?.is_default)) return
  await db
    .update(usersListView)
    .set({ is_default: false })
    .where(
      and(
        eq(usersListView.user_id, callerOf(call).id),
        eq(usersListView.list, draft.list ?? row?.list ?? ''),
        row ? ne(usersListView.id, row.id) : sql`true`,
      ),
    )
}
