import { observeProxy, PROXY_CHECK, QUIET_SECONDS } from '@sallyport/contract/proxy-check.ts'
import { useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { Status, type Tone } from '../../../design/Status.tsx'
import { CopyText } from '../../../generic/detail/CopyText.tsx'
import { api, errorText } from '../../../lib/api.ts'
import { msg, t } from '../../../lib/i18n.ts'
import { browserDoor } from './browser-door.ts'
import styles from './proxy-check.module.css'

/** A judgement of the server about one part of the proxy's work, in the language of the page. */
interface Finding {
  name: string
  state: 'ok' | 'warning' | 'error'
  words: string
  mend: string
  lines: readonly { proxy: string; lines: readonly string[] }[]
  setting: string
}

const TONES: Readonly<Record<Finding['state'], Tone>> = { ok: 'good', warning: 'warning', error: 'danger' }
const STATES = { ok: msg('OK@@proxy'), warning: msg('Warning@@proxy'), error: msg('Error@@proxy') }

/** Has this browser try what proxies get wrong, and says what to mend. Needs nothing around it. */
export function ProxyCheck() {
  const [isBusy, setBusy] = useState(false)
  const [findings, setFindings] = useState<readonly Finding[]>()
  const [failure, setFailure] = useState('')
  const run = async () => {
    setBusy(true)
    setFindings(undefined)
    setFailure('')
    try {
      const observed = JSON.stringify(await observeProxy(browserDoor()))
      setFindings(await api.get<Finding[]>(PROXY_CHECK.findings, { query: { observed }, quiet: true }))
    } catch (error) {
      setFailure(errorText(error))
    }
    setBusy(false)
  }
  return (
    <div className={styles.proxyCheck}>
      <Button loading={isBusy} onClick={() => void run()}>
        {t('Check the proxy')}
      </Button>
      <div role="status">
        {isBusy && (
          <p className="quiet">
            {t('This takes {{count|second|seconds}}: most proxies give up after a minute.', { count: QUIET_SECONDS })}
          </p>
        )}
        {failure && <p className="danger">{failure}</p>}
        {findings && <Findings findings={findings} />}
      </div>
    </div>
  )
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  return (
    <ul>
      {findings.map(({ name, state, words, mend, lines, setting }) => (
        <li key={name}>
          <Status tone={TONES[state]}>{t(STATES[state])}</Status>
          <div>
            {words}
            {mend && <p className="quiet">{mend}</p>}
            {setting && <CopyText text={setting} label="Sallyport" />}
            {lines.length > 0 && (
              <dl>
                {lines.map(({ proxy, lines: its }) => (
                  <div key={proxy}>
                    <dt>{proxy}</dt>
                    {its.map((line) => (
                      <dd key={line}>
                        <CopyText text={line} label={proxy} />
                      </dd>
                    ))}
                  </div>
                ))}
              </dl>
            )}
          </div>
        </li>
      ))}
    </ul>
  )
}
