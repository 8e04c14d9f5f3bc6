import { user } from '@sallyport/contract/resources/users/user.ts'
import { type ReactNode, useState } from 'react'
import { Checkbox } from '../../../design/inputs/Checkbox.tsx'
import { PasswordStrength } from '../../../design/inputs/PasswordStrength.tsx'
import { api } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { checkPassword } from '../../../lib/password-rules.ts'
import { session } from '../../../session/session.ts'
import styles from './first-run.module.css'
import { Field, StepForm, useStep } from './StepForm.tsx'

interface PersonStepProps {
  onDone: () => Promise<unknown>
  /** Another way out of this step. */
  more: ReactNode
}

/** Somebody who will connect, with a first password. */
export function PersonStep({ onDone, more }: PersonStepProps) {
  const [typed, setTyped] = useState({ name: '', username: '', email: '', password: '' })
  const [isTemporary, setTemporary] = useState(true)
  const { isBusy, faults, send } = useStep(['name', 'username', 'email', 'password'])
  const field = (name: keyof typeof typed, label: string) => ({
    label,
    value: typed[name],
    onChange: (value: string) => setTyped({ ...typed, [name]: value }),
    fault: faults[name],
    required: true,
    autoComplete: 'off',
    maxLength: 128,
  })
  const add = async () => {
    const password = { password_strategy: 'custom', need_update_password: isTemporary }
    await api.post(user.path, { ...typed, ...password, source: 'local' }, { quiet: true })
    await onDone()
  }
  const checks = checkPassword(typed.password, session().settings.PASSWORD_RULE)
  return (
    <StepForm submit={t('Add the person')} isBusy={isBusy} faults={faults} onSubmit={() => void send(add)} more={more}>
      <Field {...field('name', t('Name'))} />
      <Field {...field('username', t('Username'))} autoCapitalize="none" spellCheck={false} />
      <Field {...field('email', t('Email'))} type="email" />
      <Field
        {...field('password', t('Password'))}
        type="password"
        autoComplete="new-password"
        help={<PasswordStrength password={typed.password} checks={checks} />}
      />
      <Checkbox className={styles.firstSwitch} checked={isTemporary} onChange={setTemporary}>
        {t('Must change the password at the first sign-in')}
      </Checkbox>
    </StepForm>
  )
}
