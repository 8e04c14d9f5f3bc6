import { t } from './i18n.ts'

/** Features that a person's own client lacks, shown where one is chosen. */
export const ONLY_IN_PAGE = () =>
  t(
    'A client of your own has the picture, the keys and the text of the clipboard. Files and drives go by the web page alone.',
  )
