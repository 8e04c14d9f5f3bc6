import { accessTarget } from '@sallyport/contract/resources/perms/access-target.ts'
import type { TargetFamily } from '@sallyport/contract/target.ts'
import { isRoot } from '../../../kernel/access/call.ts'
import { tableOf } from '../../../kernel/database/view.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import type { Subject } from '../grants.ts'
import { permsTarget } from '../views.ts'
import { aboutWhat, accessOf, loadPaths } from './access-paths.ts'
import { theseIds } from './paths.ts'
import { isWithinReach } from './reaching.ts'

const about = (query: ReadContext['query']) => aboutWhat(query, ['user_id', 'permission_id'])

const within = ({ db, call }: ReadContext, subject: Subject) =>
  isWithinReach(db, { subject, orgId: isRoot(call) ? undefined : call.org.id })

/** The targets that a person can reach, or that a permission leads to, with the paths there. */
export default function mountAccessTargets(kernel: Kernel): void {
  mountResource(kernel, accessTarget, {
    table: tableOf(permsTarget),
    columns: ['id', 'org_id', 'family', 'category', 'name', 'address', 'kind'],
    filters: {
      user_id: (userId, context) => within(context, { userId }),
      permission_id: (permissionId, context) => within(context, { permissionId }),
    },
    computed: [
      {
        fields: ['accounts', 'ways', 'date_expired', 'paths'],
        async load(rows, context) {
          const { user, permission } = about(context.query)
          const families = [...new Set(rows.map(({ family }) => family as TargetFamily))]
          const paths = await loadPaths(
            context,
            families.map((family) => ({
              family,
              targets: theseIds(rows.filter((row) => row.family === family).map(({ id }) => String(id))),
              ...(user ? { users: theseIds([user]) } : {}),
              ...(permission ? { permission } : {}),
            })),
          )
          return rows.map(({ id, family }) =>
            accessOf(paths.filter((path) => path.target_id === id && path.family === family)),
          )
        },
      },
    ],
    rules: { beforeRead: ({ query }) => void about(query) },
  })
}
