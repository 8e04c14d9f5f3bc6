import { msg, t } from '../lib/i18n.ts'

/** A person of a demo, with the password that this page shows. */
export interface DemoAccount {
  username: string
  role: 'Admin' | 'Auditor' | 'User'
  password: string
}

const ROLES = { Admin: msg('Administrator'), Auditor: msg('Auditor'), User: msg('User@@role') }

interface DemoAccountsProps {
  accounts: readonly DemoAccount[]
  /** Fills the form in. */
  onChoose: (account: DemoAccount) => void
}

/** In a demo, seen on its own machine: one person of each role to sign in as. */
export function DemoAccounts({ accounts, onChoose }: DemoAccountsProps) {
  return (
    <section className="demo-accounts" aria-labelledby="demo-accounts">
      <h2 id="demo-accounts">{t('Demo accounts')}</h2>
      <ul>
        {accounts.map((account) => (
          <li key={account.username}>
            <span>
              <strong>{t(ROLES[account.role])}</strong>
              <code>
                {account.username} / {account.password}
              </code>
            </span>
            <button
              type="button"
              className="secondary"
              aria-label={t('Use the account {{username}}', { username: account.username })}
              onClick={() => onChoose(account)}
            >
              {t('Use@@account')}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
