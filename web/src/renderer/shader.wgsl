// A neutral grey surface, rough and not metallic, under a key, a fill and a rim light that go with the camera, so that
// whatever is looked at is lit alike.

struct Frame {
    clip_from_sphere: mat4x4f,
    eye: vec4f,
    right: vec4f,
    up: vec4f,
}

@group(0) @binding(0) var<uniform> frame: Frame;

struct Corner {
    @builtin(position) clip: vec4f,
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
}

@vertex
fn corner(@location(0) position: vec3f, @location(1) normal: vec3f) -> Corner {
    return Corner(frame.clip_from_sphere * vec4f(position, 1.0), position, normal);
}

const PI = 3.14159265;
// sRGB 0xb8b8bc, linear.
const ALBEDO = vec3f(0.479320, 0.479320, 0.502886);
const ROUGHNESS = 0.7;

// Cook-Torrance with the distribution of Trowbridge and Reitz and Schlick's approximations.
fn lit(n: vec3f, v: vec3f, l: vec3f) -> vec3f {
    let h = normalize(l + v);
    let nl = max(dot(n, l), 0.0);
    let nv = max(dot(n, v), 1e-3);
    let nh = max(dot(n, h), 0.0);
    let a2 = pow(ROUGHNESS, 4.0);
    let d = a2 / (PI * pow(nh * nh * (a2 - 1.0) + 1.0, 2.0));
    let k = (ROUGHNESS + 1.0) * (ROUGHNESS + 1.0) / 8.0;
    let g = 1.0 / (4.0 * (nl * (1.0 - k) + k) * (nv * (1.0 - k) + k));
    let f = 0.04 + 0.96 * pow(1.0 - max(dot(h, v), 0.0), 5.0);
    return (ALBEDO * (1.0 - f) / PI + vec3f(d * g * f)) * nl;
}

fn encoded(linear: vec3f) -> vec3f {
    let c = clamp(linear, vec3f(0.0), vec3f(1.0));
    return select(1.055 * pow(c, vec3f(1.0 / 2.4)) - 0.055, c * 12.92, c <= vec3f(0.0031308));
}

@fragment
fn surface(in: Corner) -> @location(0) vec4f {
    let v = normalize(frame.eye.xyz - in.position);
    var n = normalize(in.normal + vec3f(1e-20));
    // Both sides are drawn: the one that is seen is lit.
    n = select(-n, n, dot(n, v) >= 0.0);
    let right = frame.right.xyz;
    let up = frame.up.xyz;
    let toward = cross(right, up);
    let key = lit(n, v, normalize(-0.6 * right + 0.9 * up + 0.8 * toward)) * 2.6;
    let fill = lit(n, v, normalize(0.9 * right + 0.2 * up + 0.7 * toward)) * 1.0;
    let rim = lit(n, v, normalize(0.3 * right + 0.7 * up - 0.9 * toward)) * 1.4;
    let ambient = ALBEDO * (0.16 + 0.08 * n.y);
    return vec4f(encoded(key + fill + rim + ambient), 1.0);
}
