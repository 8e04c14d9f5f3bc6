export const OPENID_LOGIN = '/core/auth/openid/login/'
export const CAS_LOGIN = '/core/auth/cas/login/'
export const SAML2_LOGIN = '/core/auth/saml2/login/'
/** The page for name and password, which redirects to no provider. */
export const LOCAL_LOGIN_PAGE = '/core/auth/login/?admin=1'
