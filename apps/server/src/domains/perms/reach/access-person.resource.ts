import { accessPerson } from '@sallyport/contract/resources/perms/access-person.ts'
import { sql } from 'drizzle-orm'
import { isRoot } from '../../../kernel/access/call.ts'
import { tableOf } from '../../../kernel/database/view.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { usersPerson } from '../../users/index.ts'
import { aboutWhat, accessOf, loadPaths } from './access-paths.ts'
import { theseIds } from './paths.ts'
import { peopleOf, peopleReaching } from './reaching.ts'

const about = (query: ReadContext['query']) => aboutWhat(query, ['asset_id', 'application_id', 'permission_id'])

/** The people who can reach a target, or have access by a permission, with their paths. */
export default function mountAccessPeople(kernel: Kernel): void {
  mountResource(kernel, accessPerson, {
    table: tableOf(usersPerson),
    columns: ['id', 'name', 'username'],
    scope({ query, call }) {
      const { target, permission } = about(query)
      const orgId = isRoot(call) ? undefined : call.org.id
      const people = target ? peopleReaching(target, orgId) : peopleOf(permission ?? '', orgId)
      return sql`${usersPerson.id} IN (${people})`
    },
    filters: { asset_id: () => undefined, application_id: () => undefined, permission_id: () => undefined },
    computed: [
      {
        fields: ['accounts', 'ways', 'date_expired', 'paths'],
        async load(rows, context) {
          const { target, permission } = about(context.query)
          const users = theseIds(rows.map(({ id }) => String(id)))
          const among = target
            ? [{ family: target.family, users, targets: theseIds([target.id]) }]
            : (['asset', 'application'] as const).map((family) => ({ family, users, permission: permission ?? '' }))
          const paths = await loadPaths(context, among)
          return rows.map(({ id }) => accessOf(paths.filter(({ user_id }) => user_id === id)))
        },
      },
    ],
    rules: { beforeRead: ({ query }) => void about(query) },
  })
}
