import type {
  AccessExplanation,
  ExplainedPermission,
  ExplainedStep,
  Remedy,
  StepName,
} from '@sallyport/contract/resources/perms/explanation.ts'
import { Link, useLocation } from 'react-router'
import { Status, type Tone } from '../../design/Status.tsx'
import { LinkedWords } from '../../generic/cells/link-cell.tsx'
import { actionWords } from '../../generic/permission-actions/action-words.ts'
import { withQuery } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { APPLICATION_PAGES } from '../application-address.ts'
import styles from './access-check.module.css'

const TONES: Readonly<Record<ExplainedStep['state'], Tone>> = { passed: 'good', asks: 'warning', failed: 'danger' }

/** The verdict in a sentence, that of the permission that was asked about, every step to a session, and the permissions that were looked at. */
export function Explanation({ answer, asked }: { answer: AccessExplanation; asked?: string | null }) {
  const { verdict, user, target, system_user, steps, permissions } = answer
  const names = { user: user.name, target: target.name, account: system_user?.name ?? '' }
  const sentence = {
    allowed: t('{{user}} can work on {{target}} as {{account}} now.', names),
    confirm: t('{{user}} can work on {{target}} as {{account}} once somebody has confirmed it.', names),
    refused: t('{{user}} cannot work on {{target}} now.', names),
  }[verdict]
  const tone = ({ allowed: 'good', confirm: 'warning', refused: 'danger' } as const)[verdict]
  const about = permissions.find(({ id }) => id === asked)
  return (
    <>
      <section className="panel">
        <p className={styles.verdict} role="status">
          <Status tone={tone}>{sentence}</Status>
        </p>
        {about && (
          <p className={styles.about}>
            {about.lacks.length
              ? t('{{permission}} does not grant it: {{lacks}}', {
                  permission: about.name,
                  lacks: about.lacks.join(t('; ')),
                })
              : t('{{permission}} grants it', { permission: about.name })}
          </p>
        )}
        <ol className={styles.steps} aria-label={t('Conditions')}>
          {steps.map((step) => (
            <Step key={step.step} step={step} answer={answer} />
          ))}
        </ol>
      </section>
      {permissions.length > 0 && <Permissions permissions={permissions} family={target.family} />}
    </>
  )
}

function Step({ step: { step, state, text, remedy }, answer }: { step: ExplainedStep; answer: AccessExplanation }) {
  const { pathname, search } = useLocation()
  const form = remedy && remedyAddress(remedy, answer)
  return (
    <li>
      <Status tone={TONES[state]}>{stepTitle(step)}</Status>
      <p>{text}</p>
      {form && (
        <Link className="button" to={withQuery(form, { return: pathname + search })}>
          {remedy.text}
        </Link>
      )}
    </li>
  )
}

const stepTitle = (step: StepName): string =>
  ({
    person: t('Person'),
    membership: t('Organization'),
    sign_in: t('Sign-in'),
    second_factor: t('Second factor'),
    target: t('Target'),
    account: t('System user'),
    permission: t('Permission'),
    action: t('Action'),
    limits: t('Session limits'),
    place: t('Network'),
    protocol: t('Protocol'),
    host_key: t('Host key'),
    reachable: t('Reachable'),
    secret: t('Password or key'),
    review: t('Confirmation'),
    rules: t('Command rules'),
  })[step]

/** The form in which a failed condition is mended, filled in as far as it can be. */
function remedyAddress({ resource, id }: Remedy, { user, target, system_user }: AccessExplanation): string | undefined {
  const page = {
    user: 'User',
    asset: 'Asset',
    application: APPLICATION_PAGES[target.category ?? 'db'],
    asset_permission: 'AssetPermission',
    application_permission: 'ApplicationPermission',
    system_user: 'SystemUser',
  }[resource]
  const address = id ? addressOf(`${page}Update`, { id }) : addressOf(`${page}Create`)
  if (!address) return undefined
  if (id || resource === 'system_user') return address
  return withQuery(address, { user: user.id, [target.family]: target.id, system_user: system_user?.id })
}

function Permissions({ permissions, family }: { permissions: ExplainedPermission[]; family: 'asset' | 'application' }) {
  const page = family === 'asset' ? 'AssetPermissionDetail' : 'ApplicationPermissionDetail'
  return (
    <section className={`panel ${styles.permissions}`}>
      <h2>{t('Permissions that were looked at')}</h2>
      <div className="table-box">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">{t('Permission')}</th>
              <th scope="col">{t('By which it names the person')}</th>
              <th scope="col">{t('By which it covers the target')}</th>
              <th scope="col">{t('Action')}</th>
              <th scope="col">{t('Result')}</th>
            </tr>
          </thead>
          <tbody>
            {permissions.map(({ id, name, people, targets, actions, lacks }) => (
              <tr key={id}>
                <td>
                  <LinkedWords to={addressOf(page, { id })}>{name}</LinkedWords>
                </td>
                <td>{people.map((way) => way.name).join(', ')}</td>
                <td>{targets.map((way) => way.name).join(', ')}</td>
                <td>{actionWords(actions)}</td>
                <td>{lacks.length ? lacks.join(t('; ')) : <Status tone="good">{t('Grants it')}</Status>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
