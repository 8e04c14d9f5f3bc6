import { PasswordStrength } from '../../design/inputs/PasswordStrength.tsx'
import { SecretInput } from '../../design/inputs/SecretInput.tsx'
import { checkPassword } from '../../lib/password-rules.ts'
import { session } from '../../session/session.ts'
import type { WidgetProps } from '../view/form-view.ts'

/**
 * A login password with the installation's rules; the admin minimum when the edited user is an
 * administrator.
 */
export function PasswordWithRules({ value, onChange, field, context, ...props }: WidgetProps<string>) {
  const admin = context.row?.role === 'Admin' || (context.row?.is_org_admin as boolean | undefined) === true
  const password = value ?? ''
  return (
    <>
      <SecretInput {...props} value={password} placeholder={field.placeholder} onChange={onChange} />
      <PasswordStrength password={password} checks={checkPassword(password, session().settings.PASSWORD_RULE, admin)} />
    </>
  )
}
