import { t } from '../../lib/i18n.ts'

/**
 * What no rule over command lines can see on a machine with a shell, and what holds better: folded,
 * wherever rules are written.
 */
export function WaysAround() {
  return (
    <details className="ways-around">
      <summary>{t('How rules can be got around, and what holds better')}</summary>
      <div className="ways-around-text">
        <p>
          {t(
            'A rule sees the line that is sent to the machine, not what the machine makes of it. Whoever has a shell there can still:',
          )}
        </p>
        <ul>
          <li>
            {t('put commands into a script file and run the file:')} <code>sh ./job.sh</code>
          </li>
          <li>
            {t('run them from an editor or pager, whose screen is not judged:')} <code>:!reboot</code>
          </li>
          <li>
            {t('give them another name by an alias or function of the machine:')} <code>alias ls=reboot</code>
          </li>
          <li>
            {t('write them encoded, so that they are known only when they run:')} <code>base64 -d job | sh</code>
          </li>
        </ul>
        <p>{t('Stronger, in this order:')}</p>
        <ul>
          <li>
            {t(
              'An allow-list: rules that allow what is needed, then one that denies everything else (a regular expression of one dot). What can not be understood is then denied as well. Leave out programs that run others, such as vi, less, find or awk.',
            )}
          </li>
          <li>
            {t(
              'A forced command on the machine, in authorized_keys or by sudo rules: the machine itself refuses everything else.',
            )}
          </li>
          <li>{t('A system user without a shell, or without the right to do the harm.')}</li>
        </ul>
      </div>
    </details>
  )
}
