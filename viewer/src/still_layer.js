// What stands still, drawn once per point of view and then used again as a picture with depth: on
// slow machines only what moves is drawn anew.
import {
  Camera, DepthTexture, HalfFloatType, Mesh, NearestFilter, PlaneGeometry, Scene, ShaderMaterial, UnsignedIntType, Vector2, WebGLRenderTarget,
} from 'three';

export const STILL = 0, MOVING = 1;  // layers

export class StillLayer {
  constructor(renderer) {
    this.renderer = renderer;
    this.material = new ShaderMaterial({
      depthFunc: 1,  // AlwaysDepth
      uniforms: {colour: {value: null}, depth: {value: null}},
      vertexShader: 'varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }',
      fragmentShader: `varying vec2 at;
        uniform sampler2D colour, depth;
        void main() {
          gl_FragColor = texture2D(colour, at);
          gl_FragDepth = texture2D(depth, at).x;
          #include <colorspace_fragment>
        }`,
    });
    this.sheet = new Scene().add(new Mesh(new PlaneGeometry(2, 2), this.material));
    this.sheet.children[0].frustumCulled = false;
    this.camera = new Camera();
    this.key = '';
  }

  invalidate() {
    this.key = '';
  }

  /** Draws the scene; false, and nothing drawn, while the point of view changes. */
  render(scene, camera) {
    const {renderer} = this, size = renderer.getDrawingBufferSize(new Vector2());
    const key = [size.x, size.y, ...camera.matrixWorld.elements, ...camera.projectionMatrix.elements].join();
    if (key !== this.key) {
      const moves = key !== this.seen;
      this.seen = key;
      if (moves) return false;
      this.key = key;
      this.capture(scene, camera, size);
    }
    renderer.render(this.sheet, this.camera);
    const {background} = scene;
    scene.background = null;
    renderer.autoClear = false;
    camera.layers.set(MOVING);
    renderer.render(scene, camera);
    camera.layers.enableAll();
    renderer.autoClear = true;
    scene.background = background;
    return true;
  }

  capture(scene, camera, size) {
    if (this.target?.width !== size.x || this.target?.height !== size.y) {
      this.target?.dispose();
      this.target = new WebGLRenderTarget(size.x, size.y, {
        type: HalfFloatType, minFilter: NearestFilter, magFilter: NearestFilter,
        depthTexture: new DepthTexture(size.x, size.y, UnsignedIntType)});
    }
    this.material.uniforms.colour.value = this.target.texture;
    this.material.uniforms.depth.value = this.target.depthTexture;
    camera.layers.set(STILL);
    this.renderer.shadowMap.needsUpdate = true;
    this.renderer.setRenderTarget(this.target);
    this.renderer.render(scene, camera);
    this.renderer.setRenderTarget(null);
    camera.layers.enableAll();
  }
}
