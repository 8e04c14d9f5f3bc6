import { t } from './i18n.ts'

/** What clients of people's own do not have, for whoever chooses one. */
export const ONLY_IN_PAGE = () =>
  t(
    'A client of your own has the picture, the keys and the text of the clipboard. Files and drives go by the web page alone.',
  )
