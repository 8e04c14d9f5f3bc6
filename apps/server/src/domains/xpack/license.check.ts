import { LICENSE_WITHOUT_END } from '@sallyport/contract/constants.ts'
import { type Check, ok, warning, wrong } from '../../kernel/doctor/check.ts'
import { readLicenseInForce } from './license.ts'
import { endOf } from './license-document.ts'

const SOON_DAYS = 30
const DAY_MS = 86_400_000

const check: Check = {
  name: 'license',
  title: 'License',
  async run(place) {
    const { db } = await place.database()
    const { license, isForeign } = await readLicenseInForce({ db, config: place.config })
    if (!license)
      return warning(
        (say) =>
          isForeign
            ? say('The license is not signed with the key of this service.')
            : say('There is no license: what needs one is closed.'),
        (say) => say('Import a license, or set SALLYPORT_COMMUNITY_LICENSE to true (docs/license.md).'),
      )
    const days = Math.floor((endOf(license) - Date.now()) / DAY_MS)
    const values = { corporation: license.corporation, date: license.date_expired, days }
    if (license.date_expired === LICENSE_WITHOUT_END)
      return ok((say) => say('The license of {{corporation}} has no end.', values))
    const renew = (say: (english: string) => string) => say('Import the next license (docs/license.md).')
    if (days < 0) return wrong((say) => say('The license of {{corporation}} ended on {{date}}.', values), renew)
    if (days < SOON_DAYS)
      return warning(
        (say) => say('The license of {{corporation}} ends on {{date}}, in {{days|day|days}}.', values),
        renew,
      )
    return ok((say) => say('The license of {{corporation}} holds until {{date}}.', values))
  },
}
export default check
