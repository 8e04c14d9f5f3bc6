import { passwordStrength, type RuleCheck } from '../../lib/password-rules.ts'
import { namesOf } from '../names.ts'
import styles from './PasswordStrength.module.css'

interface PasswordStrengthProps {
  password: string
  checks: readonly RuleCheck[]
  className?: string
}

/** A bar that grows with the password, and the rules with those met ticked. */
export function PasswordStrength({ password, checks, className }: PasswordStrengthProps) {
  const strength = passwordStrength(password, checks)
  const color = strength < 0.4 ? '#c2413b' : strength < 0.7 ? '#b7791f' : '#2f8f5b'
  return (
    <div className={namesOf([styles.strength, className])}>
      <div className={styles.bar}>
        <i style={{ width: `${Math.round(strength * 100)}%`, background: color }} />
      </div>
      <ul aria-live="polite">
        {checks.map(({ text, met }) => (
          <li key={text} className={met ? styles.met : undefined}>
            {met ? '✓' : '○'} {text}
          </li>
        ))}
      </ul>
    </div>
  )
}
