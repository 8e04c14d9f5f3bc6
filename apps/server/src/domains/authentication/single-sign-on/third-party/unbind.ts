import { and, eq, sql } from 'drizzle-orm'
import { type Call, callerOf, displayName, isRoot } from '../../../../kernel/access/call.ts'
import { AppError, forbidden, notFound } from '../../../../kernel/errors/app-error.ts'
import { translate } from '../../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { isUuid } from '../../../../kernel/resource/conditions.ts'
import { type Messenger, messengers } from '../../../notifications/index.ts'
import { orgsMembership } from '../../../orgs/index.ts'
import { guardPerson, unbindMessenger, usersPerson } from '../../../users/index.ts'
import { notifyOfBinding } from './binding-notices.ts'
import { forgetDepartments } from './departments.ts'
import { hasFreshPassword } from './password-proof.ts'

const PROVE_FIRST = 'Prove your password first'

/**
 * POST …/{name}/qr/unbind/ for one's own account, with a fresh proof of the password, and
 * …/{user_id}/ for administrators (docs/rules/users.md#messengers).
 */
export function registerUnbinding(kernel: Kernel): void {
  for (const messenger of messengers) {
    const url = `/api/v1/authentication/${messenger.name}/qr/unbind/`
    kernel.app.route({
      method: 'POST',
      url,
      config: { access: ['authenticated'], summary: `Unbind me from ${messenger.title}` },
      handler: async (request) => {
        if (!(await hasFreshPassword(kernel, request))) throw forbidden(PROVE_FIRST)
        const person = callerOf(request.call)
        await unbind(kernel, request.call, messenger, person)
        await notifyOfBinding(kernel, person.id, messenger, 'unbound', request.call.remoteAddress)
        return ''
      },
    })
    kernel.app.route({
      method: 'POST',
      url: `${url}:user_id/`,
      config: { access: ['org_admin'], summary: `Unbind a person from ${messenger.title}` },
      handler: async (request) => {
        const { user_id } = request.params as { user_id: string }
        const person = await memberOf(kernel, request.call, user_id)
        await guardPerson(kernel.db, request.call, person.id)
        const isOwn = person.id === request.call.user?.id
        if (isOwn && !(await hasFreshPassword(kernel, request))) throw forbidden(PROVE_FIRST)
        await unbind(kernel, request.call, messenger, person)
        const what = isOwn ? 'unbound' : 'unbound_by_administrator'
        await notifyOfBinding(kernel, person.id, messenger, what, request.call.remoteAddress)
        return ''
      },
    })
  }
}

interface Person {
  id: string
  name: string
  username: string
}

/** Somebody whom the users list of this organization shows. Throws 404. */
async function memberOf({ db }: Kernel, call: Call, userId: string): Promise<Person> {
  const isMember = sql`EXISTS (SELECT 1 FROM ${orgsMembership} WHERE ${orgsMembership.user_id} = ${usersPerson.id} AND ${orgsMembership.org_id} = ${call.org.id})`
  const [person] = isUuid(userId)
    ? await db
        .select({ id: usersPerson.id, name: usersPerson.name, username: usersPerson.username })
        .from(usersPerson)
        .where(and(eq(usersPerson.id, userId), isRoot(call) ? undefined : isMember))
    : []
  if (!person) throw notFound()
  return person
}

async function unbind(kernel: Kernel, call: Call, messenger: Messenger, person: Person): Promise<void> {
  await kernel.db.transaction(async (db) => {
    if (!(await unbindMessenger(db, person.id, messenger.name))) {
      const name = translate(call.language, messenger.title)
      throw new AppError(
        400,
        `${messenger.name}_not_bound`,
        translate(call.language, '{{name}} is not bound', { name }),
      )
    }
    await forgetDepartments(kernel, db, messenger, person.id)
    await kernel.audit.record(db, call, [
      {
        action: 'update',
        resourceType: 'User',
        resource: displayName(person),
        orgId: call.org.id,
        object: { type: 'user', id: person.id },
        changes: [{ field: messenger.name, label: messenger.title, before: true, after: false }],
      },
    ])
  })
}
