import { Input } from 'antd'
import { PasswordStrength } from '../../design/PasswordStrength.tsx'
import { checkPassword } from '../../lib/password-rules.ts'
import { session } from '../../session/session.ts'
import type { WidgetProps } from '../view/form-view.ts'

/**
 * A login password with the installation's rules; the admin minimum when the edited user is an
 * administrator.
 */
export function PasswordWithRules({ value, onChange, id, disabled, field, context }: WidgetProps<string>) {
  const admin = context.row?.role === 'Admin' || (context.row?.is_org_admin as boolean | undefined) === true
  const password = value ?? ''
  return (
    <>
      <Input.Password
        id={id}
        value={password}
        disabled={disabled ?? false}
        placeholder={field.placeholder}
        autoComplete="new-password"
        onChange={(event) => onChange?.(event.target.value)}
      />
      {password !== '' && (
        <PasswordStrength
          password={password}
          checks={checkPassword(password, session().settings.PASSWORD_RULE, admin)}
        />
      )}
    </>
  )
}
