import type { DetailProps } from '../../generic/define-pages.ts'
import { ResourceTable } from '../../generic/ResourceTable.tsx'
import { loginAclPages } from './login-acl.tsx'

/** The rules about a person's sign-in. */
export function UserLoginRules({ row }: DetailProps) {
  return (
    <ResourceTable pages={loginAclPages} base="UserLoginACL" inAddress={false} query={{ user: row.id }} createQuery={{ user: row.id }} />
  )
}
