import { QUIET_SECONDS } from '@sallyport/contract/proxy-check.ts'
import { type Check, NotChecked, ok } from '../../../kernel/doctor/check.ts'
import { checkProxy } from './check-proxy.ts'
import { mendText } from './finding.ts'

/** The page waits for its answer, and its browser can check longer (`QUIET_SECONDS`). */
const SECONDS_OF_PAGE = 5

const check: Check = {
  name: 'proxy',
  title: 'Proxy',
  limitMs: (QUIET_SECONDS + 60) * 1000,
  async run(place) {
    const { SITE_URL: address } = await place.settings()
    if (URL.parse(address)?.protocol !== 'https:')
      throw new NotChecked(
        (say) => say('The address of the site ({{address}}) does not begin with https://.', { address }),
        (say) => say('Once people reach Sallyport by HTTPS, enter that address as the site URL in the settings.'),
      )
    const secrets = await place.secrets()
    const findings = await checkProxy(address, { secrets, ...(place.isServer ? { seconds: SECONDS_OF_PAGE } : {}) })
    const faults = findings.filter(({ state }) => state !== 'ok')
    if (!faults.length) return ok((say) => say('Requests to {{address}} arrive as they were sent.', { address }))
    return faults.map((fault) => ({
      state: fault.state,
      words: fault.words,
      mend: (say) => mendText(fault, say),
      subject: fault.name,
    }))
  },
}

export default check
