/** The root organization: not stored, spans all others (docs/rules/orgs.md#organization). */
export const ROOT_ORG_ID = '00000000-0000-0000-0000-000000000000'
/** Made at first start; people without any other organization belong to it. */
export const DEFAULT_ORG_ID = '00000000-0000-0000-0000-000000000002'
/**
 * Version of the API that existing clients know, shown in the footer (A1.21).
 */
export const COMPATIBILITY_VERSION = 'v2.19.1'
/** The product's own version, that of package.json. */
export const PRODUCT_VERSION = '1.0.0'

/** Names on the wire that existing programs rely on. */
export const WIRE = {
  orgHeader: 'X-JMS-ORG',
  orgCookie: 'X-JMS-ORG',
  csrfCookie: 'csrftoken',
  csrfHeader: 'X-CSRFToken',
  sessionCookie: 'sessionid',
  languageCookie: 'django_language',
  timeZoneHeader: 'X-TZ',
  loginTypeHeader: 'X-JMS-LOGIN-TYPE',
  terminalSubprotocol: 'JMS-KOKO',
  webTerminalBase: '/luna/',
  textGatewayBase: '/koko/',
  graphicalGatewayBase: '/lion/',
  fileManagerBase: '/koko/elfinder/sftp/',
} as const

/** Last day of a license that has no end (docs/rules/xpack.md#license). */
export const LICENSE_WITHOUT_END = '9999-12-31'

/** How long a selection reference (`spm`) lives (docs/rules/api.md#resource_cache). */
export const SELECTION_TTL_SECONDS = 300
/** Page sizes of every resource table (B9.10). */
export const PAGE_SIZES = [15, 30, 50, 100] as const
/** Most views that a person keeps of one list: a menu with more is no help. */
export const LIST_VIEWS_MAX = 30
/** Characters of a view's name. */
export const LIST_VIEW_NAME_MAX = 60
