import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { loginAclPages } from './login-acl.page.tsx'

/** The rules about a person's sign-in. */
export function UserLoginRules({ row }: DetailProps) {
  return (
    <ResourceTable
      pages={loginAclPages}
      base="UserLoginACL"
      inAddress={false}
      query={{ user: row.id }}
      createQuery={{ user: row.id }}
    />
  )
}
