/** The page for name and password, which redirects to no provider. */
export const LOCAL_LOGIN_PAGE = '/core/auth/login/?admin=1'
