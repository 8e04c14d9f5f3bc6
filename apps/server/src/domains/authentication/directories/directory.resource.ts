import { directory as definition } from '@sallyport/contract/resources/authentication/directory.ts'
import { inArray } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { DeleteContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { authenticationDirectory, authenticationLdapList, authenticationLdapPlan } from '../ldap/tables.ts'
import { peopleAmount } from '../people-sources/people-in-step.ts'
import { furtherRules } from '../people-sources/rules.ts'
import { registerDirectoryPeople } from './people-calls.ts'
import { checkDirectory } from './rules.ts'
import { registerDirectoryTrials } from './trial-calls.ts'

type Deleting = DeleteContext<typeof authenticationDirectory>

/** Directories whose people sign in here, besides that of the settings. */
export default function mountDirectories(kernel: Kernel): void {
  const rules = furtherRules(authenticationDirectory, 'ldap', 'There are {{max}} directories at most')
  mountResource(kernel, definition, {
    table: authenticationDirectory,
    sealed: ['bind_password'],
    computed: [peopleAmount],
    rules: {
      ...rules,
      beforeWrite: [...rules.beforeWrite, checkDirectory],
      afterDelete: [...rules.afterDelete, forgetImports],
    },
  })
  registerDirectoryTrials(kernel)
  registerDirectoryPeople(kernel)
}

/** Its list and its times of import go with it. */
async function forgetImports({ db, rows }: Deleting): Promise<void> {
  const ids = rows.map(({ id }) => id)
  await db.delete(authenticationLdapList).where(inArray(authenticationLdapList.directory, ids))
  await db.delete(authenticationLdapPlan).where(inArray(authenticationLdapPlan.directory, ids))
}
